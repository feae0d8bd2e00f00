import { Ellipsis, Plus } from 'lucide-react'
import { useState } from 'react'
import type { AgentCheck, InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import {
  abilityText,
  commandText,
  signedInText,
  signInMethodText,
} from '../../../shared/text/agent-check-text.ts'
import {
  Button,
  IconButton,
  Menu,
  RelativeTime,
  type ShownStatus,
  Skeleton,
  StatusIcon,
  toast,
} from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { showProblem } from '../app/toasts.ts'
import { useInstalledAgents } from './use-installed-agents.ts'

/** The agents that the user has installed, and commands of their own. */
export function InstalledSection() {
  const { overlay } = useStores()
  const { agents, problem, reload } = useInstalledAgents()
  const unreachable = useUnreachable()
  if (problem && !agents)
    return <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
  if (!agents) return <Skeleton lines={5} />
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Agents that are installed on this computer. They sign in and choose their model themselves.
        A check starts the agent in an empty folder and asks for its capabilities; a test also sends
        a short prompt.
      </p>
      <ul aria-label="Installed agents" className="flex flex-col">
        {agents.map((agent) => (
          <AgentRow key={agent.id} agent={agent} onChanged={reload} />
        ))}
      </ul>
      <div>
        <Button
          icon={<Plus />}
          disabled={unreachable !== undefined}
          title={unreachable}
          onClick={() => overlay.show({ kind: 'own-agent', agent: null, onSaved: reload })}
        >
          Add a command…
        </Button>
      </div>
    </div>
  )
}

function AgentRow(props: { agent: InstalledAgentState; onChanged(): void }) {
  const { agent, onChanged } = props
  const { id, name, available, why, file, version, uses, check, own } = agent
  const { client, overlay } = useStores()
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState<'check' | 'test' | 'sign-in' | null>(null)
  const show = (found: AgentCheck) => {
    if (found.outcome !== 'ready') toast.error(found.why ?? `${name} did not start.`)
    else if (found.answeredMs !== null)
      toast.success(`${name} answered in ${(found.answeredMs / 1000).toFixed(1)} s.`)
    onChanged()
  }
  const run = async (what: 'check' | 'test') => {
    setBusy(what)
    await client.agents
      .check({ id, prompts: what === 'test' })
      .then(show, (error: unknown) => showProblem(problemOf(error, `${what} ${name}`)))
    setBusy(null)
  }
  const authenticate = async (method: string) => {
    setBusy('sign-in')
    await client.agents
      .authenticate({ id, method })
      .then(show, (error: unknown) => showProblem(problemOf(error, `sign in to ${name}`)))
    setBusy(null)
  }
  const remove = () =>
    client.agents.removeOwn({ name: id }).then(
      () => {
        toast.success(`${name} was removed.`)
        onChanged()
      },
      (error: unknown) => showProblem(problemOf(error, `remove ${name}`)),
    )
  const common = { size: 'small', disabled: unreachable !== undefined, title: unreachable } as const
  const canFetch = !available && agent.package?.fetchable
  return (
    <li className="flex min-h-11 flex-wrap items-start gap-x-3 gap-y-1 border-b py-2 last:border-b-0">
      <span className="mt-0.5">
        <StatusIcon decorative status={statusOf(agent)} />
      </span>
      <div className="min-w-0 flex-1 basis-72">
        <p className="untrusted">
          {name}
          {available ? <span className="text-muted"> · {version ?? 'version unknown'}</span> : null}
        </p>
        <p className="untrusted text-small break-all text-muted">
          {available ? (file ?? `Fetched by npx: ${agent.package?.name}`) : `${why}.`}
          {own ? ` · ${own.command}` : null}
        </p>
        {canFetch ? (
          <p className="untrusted text-small wrap-anywhere text-muted">
            Shiplog can fetch {agent.package?.name} {agent.package?.version} from npm, about{' '}
            {agent.package?.megabytes} MB.
          </p>
        ) : null}
        {available && uses ? (
          <p className="untrusted text-small break-all text-muted">
            Uses {uses.file}
            {uses.version ? ` ${uses.version}` : null}
          </p>
        ) : null}
        {available ? <CheckLine agent={agent} /> : null}
        {check?.outcome === 'failed' ? (
          <p className="untrusted text-small text-failed">Last check failed: {check.why}</p>
        ) : null}
      </div>
      <div className="flex flex-wrap gap-2">
        {available && agent.signedIn !== true && agent.signIn.command ? (
          <Button {...common} aria-label={`Sign in to ${name}`} onClick={() => void signIn(agent)}>
            Sign in…
          </Button>
        ) : available && agent.signedIn === false && check?.signInMethods.length ? (
          <Menu
            align="end"
            trigger={
              <Button
                {...common}
                aria-label={`Sign in to ${name}`}
                busy={busy === 'sign-in'}
                disabled={common.disabled || busy !== null}
              >
                {busy === 'sign-in' ? 'Signing in…' : 'Sign in…'}
              </Button>
            }
            entries={check.signInMethods.map((method) => ({
              label: signInMethodText(method),
              onSelect: () => void authenticate(method.id),
            }))}
          />
        ) : null}
        {canFetch ? (
          <Button
            {...common}
            aria-label={`Fetch ${agent.package?.megabytes} MB… for ${name}`}
            onClick={() => overlay.show({ kind: 'fetch-agent', agent, onFetched: onChanged })}
          >
            Fetch {agent.package?.megabytes} MB…
          </Button>
        ) : null}
        {available ? (
          <Button
            {...common}
            aria-label={`Check ${name}`}
            busy={busy === 'check'}
            disabled={common.disabled || (busy !== null && busy !== 'check')}
            onClick={() => void run('check')}
          >
            {busy === 'check' ? 'Checking…' : 'Check'}
          </Button>
        ) : null}
        {available ? (
          <Button
            {...common}
            aria-label={`Test ${name}`}
            busy={busy === 'test'}
            disabled={common.disabled || (busy !== null && busy !== 'test')}
            onClick={() => void run('test')}
          >
            {busy === 'test' ? 'Testing…' : 'Test'}
          </Button>
        ) : null}
        {own ? (
          <Menu
            align="end"
            trigger={
              <IconButton
                size="small"
                label={`More about ${name}`}
                icon={<Ellipsis />}
                disabled={common.disabled}
              />
            }
            entries={[
              {
                label: 'Change…',
                onSelect: () => overlay.show({ kind: 'own-agent', agent: own, onSaved: onChanged }),
              },
              { label: 'Remove', onSelect: () => void remove() },
            ]}
          />
        ) : null}
      </div>
    </li>
  )

  async function signIn({ signIn: how }: InstalledAgentState): Promise<void> {
    const { opened, command } = await client.agents.signIn({ id }).catch((error: unknown) => {
      showProblem(problemOf(error, `sign in to ${name}`))
      return { opened: true, command: null }
    })
    if (command === null) return
    if (opened)
      toast.success(`A terminal was opened for ${name}. Check it again once you are signed in.`)
    else
      toast.error(`No terminal could be opened here. ${how.text}, or run: ${commandText(command)}`)
  }
}

/** The last results of a check, and when it ran. */
function CheckLine({ agent }: { agent: InstalledAgentState }) {
  const { check } = agent
  const abilities = abilityText(agent)
  return (
    <p className="text-small text-muted">
      Signed in: {signedInText(agent)}
      {abilities ? (
        <>
          {abilities.can.length > 0 ? ` · Can: ${abilities.can.join(', ')}` : null}
          {abilities.cannot.length > 0 ? ` · Can’t: ${abilities.cannot.join(', ')}` : null}
          {abilities.unknown.length > 0 ? ` · Unknown: ${abilities.unknown.join(', ')}` : null}
        </>
      ) : (
        ' · Capabilities: unknown'
      )}
      {check ? (
        <>
          {' '}
          · checked <RelativeTime at={check.at} />
        </>
      ) : null}
    </p>
  )
}

function statusOf({ available, signedIn, check }: InstalledAgentState): ShownStatus {
  if (!available) return 'blocked'
  if (check?.outcome === 'failed') return 'failed'
  return signedIn === false ? 'interrupted' : 'completed'
}
