import type { InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import { toast } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'

/** Lets `npx` fetch the package of an agent, after a confirmation that states its name, version and size. */
export function FetchAgentDialog(props: { agent: InstalledAgentState; onFetched(): void }) {
  const { agent, onFetched } = props
  const { id, name, package: from, uses } = agent
  const { client } = useStores()
  if (!from) return null
  return (
    <FormDialog
      title={`Fetch ${name}`}
      action={`Fetch ${from.megabytes} MB`}
      doing={`fetch ${name}`}
      canSubmit
      submit={async () => {
        const found = await client.agents.allowFetch({ id, version: from.version })
        onFetched()
        if (found.outcome === 'failed') toast.error(`${name} could not be started: ${found.why}`)
        else toast.success(`${name} can be used now.`)
      }}
    >
      <p>
        <code className="font-mono text-code">npx</code> fetches this package from the npm registry,
        keeps it in its cache, and starts it. It can take minutes.
      </p>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
        <dt className="text-muted">Package</dt>
        <dd className="font-mono text-code break-all">{from.name}</dd>
        <dt className="text-muted">Version</dt>
        <dd>{from.version}</dd>
        <dt className="text-muted">Size</dt>
        <dd>About {from.megabytes} MB</dd>
        {uses ? (
          <>
            <dt className="text-muted">Uses</dt>
            <dd className="untrusted break-all">{uses.file}</dd>
          </>
        ) : null}
      </dl>
      <p className="text-muted">
        To install it yourself instead:{' '}
        <code className="font-mono text-code">npm install -g {from.name}</code>
      </p>
    </FormDialog>
  )
}
