import { KeyRound, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AgentPreset } from '../../../shared/agents/installed-agents.ts'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import { Button, Menu, StatusIcon } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useProjects, useStores, useUnreachable } from '../../store/hooks.ts'
import { showProblem } from '../app/toasts.ts'
import { useActions } from '../app/use-actions.ts'
import { FoundSessions } from '../imports/found-sessions.tsx'
import { useFoundSessions } from '../imports/use-found-sessions.ts'
import { useInstalledAgents } from '../installed/use-installed-agents.ts'
import { keyText, providerTitle } from '../models/provider-text.ts'
import { isUsable, useModelSettings } from '../models/use-model-settings.ts'

/** From an empty app to the first agent: a model, a project, a prompt. The demo needs none of them. */
export function FirstSteps() {
  const { overlay } = useStores()
  const { startDemo } = useActions()
  const projects = useProjects()
  const unreachable = useUnreachable()
  const [starting, setStarting] = useState<AgentPreset | 'script' | null>(null)
  const { providers, reload } = useModelSettings()
  const usable = providers?.filter(isUsable) ?? []
  const { agents } = useInstalledAgents()
  const installed = agents?.filter(({ available }) => available) ?? []
  const canStart = usable.length > 0 || installed.length > 0
  const sessions = useFoundSessions()
  const demo = async (agent?: AgentPreset) => {
    setStarting(agent ?? 'script')
    await startDemo(agent)
    setStarting(null)
  }
  const [demoAgent] = installed.flatMap(({ program, name, signedIn }) =>
    program === 'acp' || signedIn === false ? [] : [{ program, name }],
  )
  const [project] = projects
  const foundKey = providers?.find((provider) => offeredKey(provider) !== null)
  // One button stands out. Sessions that their tool will delete come first, then what the next step needs, then a key
  // that is already there; the demo is the quickest way to see something as long as nothing is set up.
  const next = sessions ? 'keep' : canStart ? 'step' : foundKey ? 'key' : project ? null : 'demo'
  const stepVariant = next === 'step' ? 'primary' : 'quiet'
  const common = { disabled: unreachable !== undefined, title: unreachable }
  return (
    <div className="m-auto flex w-full max-w-[680px] flex-col gap-5 p-6">
      <p className="text-read text-balance text-muted">
        Shiplog runs agents on your repositories and records everything they do.
      </p>
      {sessions ? <FoundSessions {...sessions} /> : null}
      <ol aria-label="First steps" className="flex flex-col rounded-md border">
        <Step
          title="Set up a model, or use an installed agent"
          done={canStart}
          detail={
            usable[0]
              ? `${providerTitle(usable[0])}: ${keyText(usable[0].key, usable[0].isOwn)}`
              : installed.length > 0
                ? `Found here: ${installed.map(({ name }) => name).join(', ')}. Or set up a model.`
                : 'With a key of a provider, on a server of your own such as Ollama, or an agent such as Codex or Claude Code.'
          }
        >
          {providers && usable.length === 0 ? (
            <SetUpModel
              providers={providers}
              suggested={next === 'key' ? foundKey?.name : undefined}
              onChanged={reload}
            />
          ) : null}
        </Step>
        <Step
          title="Add a project"
          done={project !== undefined}
          detail={project ? project.dir : 'A folder that agents work on, usually a Git repository.'}
        >
          {project ? null : (
            <Button
              {...common}
              variant={stepVariant}
              icon={<Plus />}
              onClick={() => overlay.show({ kind: 'add-project' })}
            >
              Add a project…
            </Button>
          )}
        </Step>
        <Step
          title="Start an agent"
          done={false}
          detail="It works in its own Git worktree, and asks before it changes anything."
        >
          {project ? (
            <Button
              {...common}
              variant={stepVariant}
              onClick={() => overlay.show({ kind: 'new-agent', projectId: null })}
            >
              New agent…
            </Button>
          ) : null}
        </Step>
      </ol>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          {...common}
          variant={next === 'demo' ? 'primary' : 'quiet'}
          busy={starting === 'script'}
          onClick={() => void demo()}
        >
          Try the demo
        </Button>
        {demoAgent ? (
          <Button
            {...common}
            variant="quiet"
            busy={starting === demoAgent.program}
            onClick={() => void demo(demoAgent.program)}
          >
            Try it with {demoAgent.name}
          </Button>
        ) : null}
        <p className="min-w-0 flex-1 text-small text-muted">
          Agents follow a script on a sample project. No model is needed.
          {demoAgent ? ` ${demoAgent.name} would run for real, on your account.` : null}
        </p>
      </div>
    </div>
  )
}

function Step(props: { title: string; detail: string; done: boolean; children: ReactNode }) {
  const { title, detail, done, children } = props
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 border-b px-3 py-2 last:border-b-0">
      <StatusIcon status={done ? 'completed' : 'queued'} decorative />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-semibold">
          {title}
          {done ? <span className="sr-only">, done</span> : null}
        </p>
        <p className="untrusted text-small text-muted">{detail}</p>
      </div>
      {children}
    </li>
  )
}

/** Returns the environment variable whose key can be used with the user's permission; null if there is none. */
const offeredKey = ({ isOwn, key }: ProviderState): string | null =>
  isOwn && key.from === 'none' ? key.offered : null

/**
 * Offers each key that was found in the environment; otherwise the user enters one. The button of the `suggested`
 * provider is emphasised.
 */
function SetUpModel(props: {
  providers: ProviderState[]
  suggested: string | undefined
  onChanged(): void
}) {
  const { providers, suggested, onChanged } = props
  const { client, overlay, appInfo, navigation } = useStores()
  const unreachable = useUnreachable()
  const changed = () => {
    onChanged()
    void appInfo.load()
  }
  const enterKey = (provider: ProviderState | null) =>
    overlay.show({ kind: 'provider', provider, onSaved: changed })
  const allow = ({ name, kind }: ProviderState, keyVariable: string) =>
    client.models
      .saveProvider({ name, kind, keyVariable })
      .then(changed, (error: unknown) => showProblem(problemOf(error, 'use the key')))
  const common = { disabled: unreachable !== undefined, title: unreachable }
  const own = providers.filter(({ isOwn }) => isOwn)
  return (
    <div className="flex flex-wrap gap-2">
      {own.map((provider) => {
        const offered = offeredKey(provider)
        return offered === null ? null : (
          <Button
            {...common}
            key={provider.name}
            variant={provider.name === suggested ? 'primary' : 'quiet'}
            onClick={() => void allow(provider, offered)}
          >
            Use {offered}
          </Button>
        )
      })}
      <Menu
        align="end"
        trigger={
          <Button {...common} icon={<KeyRound />}>
            Set up a model…
          </Button>
        }
        entries={[
          ...own.map((provider) => ({
            label: `Key for ${providerTitle(provider)}…`,
            onSelect: () => enterKey(provider),
          })),
          { kind: 'separator' as const },
          { label: 'A server of your own…', onSelect: () => enterKey(null) },
          { kind: 'separator' as const },
          {
            label: 'An installed agent…',
            onSelect: () => navigation.go({ screen: 'settings', section: 'installed-agents' }),
          },
        ]}
      />
    </div>
  )
}
