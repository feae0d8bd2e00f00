import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import {
  Button,
  Skeleton,
  StatusIcon,
  TextButton,
  toast,
} from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { showProblem } from '../app/toasts.ts'
import { useUnsaved } from '../settings/unsaved.ts'
import { ModelField, type UnlistedProvider, useModelNames } from './model-field.tsx'
import { ModelTestLine } from './model-test-line.tsx'
import { keyText, providerTitle } from './provider-text.ts'
import { isUsable, useModelSettings } from './use-model-settings.ts'

/** The providers of models with their keys, and the default models. */
export function ModelsSection() {
  const { client, overlay, appInfo } = useStores()
  const { providers, defaultModel, subAgentModel, problem, reload } = useModelSettings()
  const listed = useModelNames(providers)
  const unreachable = useUnreachable()
  const changed = () => {
    reload()
    void appInfo.load()
  }
  const attempt = async (doing: string, call: () => Promise<unknown>) => {
    await call().then(changed, (error: unknown) => showProblem(problemOf(error, doing)))
  }
  if (problem && !providers)
    return <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
  if (!providers) return <Skeleton lines={4} />
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Agents call a model over the internet with your key, or a model on your own server. A key is
        sent only to its provider; no transcript, log or agent gets it.
      </p>
      <ul aria-label="Providers" className="flex flex-col">
        {providers.map((provider) => (
          <ProviderRow
            key={provider.name}
            provider={provider}
            problem={listed.problems.find((one) => one.provider === provider.name) ?? null}
            onRetry={listed.retry}
            unreachable={unreachable}
            onChange={() => overlay.show({ kind: 'provider', provider, onSaved: changed })}
            onAllow={(keyVariable) =>
              void attempt('use the key', () =>
                client.models.saveProvider({ ...entryOf(provider), keyVariable }),
              )
            }
            onForget={() =>
              void attempt('remove the provider', async () => {
                await client.models.removeProvider({ name: provider.name })
                toast.success(
                  provider.isOwn
                    ? `The key of ${providerTitle(provider)} was removed.`
                    : `${provider.name} was removed.`,
                )
              })
            }
          />
        ))}
      </ul>
      <div>
        <Button
          icon={<Plus />}
          disabled={unreachable !== undefined}
          title={unreachable}
          onClick={() => overlay.show({ kind: 'provider', provider: null, onSaved: changed })}
        >
          Add a server…
        </Button>
      </div>
      {providers.some(isUsable) ? (
        <DefaultModels
          key={`${defaultModel} ${subAgentModel}`}
          providers={providers}
          names={listed.names}
          stored={{ defaultModel: defaultModel ?? '', subAgentModel: subAgentModel ?? '' }}
          onSaved={changed}
        />
      ) : null}
    </div>
  )
}

/** Whether a server without a list works is known only after a test of a model. */
const statusOf = (provider: ProviderState, problem: UnlistedProvider | null) => {
  if (problem) return problem.isWithoutList ? 'queued' : 'failed'
  return isUsable(provider) ? 'completed' : 'queued'
}

const entryOf = ({ name, kind, baseUrl, isOwn, contextTokens }: ProviderState) => ({
  name,
  kind,
  ...(isOwn || baseUrl === null ? {} : { baseUrl }),
  ...(contextTokens === null ? {} : { contextTokens }),
})

function ProviderRow(props: {
  provider: ProviderState
  /** Why it can't be used now: it refuses the key, or can't be reached. Null: none known. */
  problem: UnlistedProvider | null
  onRetry(): void
  unreachable: string | undefined
  onChange(): void
  onAllow(variable: string): void
  onForget(): void
}) {
  const { provider, problem, onRetry, unreachable, onChange, onAllow, onForget } = props
  const { key, isOwn, baseUrl } = provider
  const title = providerTitle(provider)
  const hasKey = key.from !== 'none'
  const offered = key.from === 'none' ? key.offered : null
  const common = { size: 'small', disabled: unreachable !== undefined, title: unreachable } as const
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b py-1.5 last:border-b-0">
      <StatusIcon decorative status={statusOf(provider, problem)} />
      <div className="min-w-0 flex-1 basis-48">
        <p className="untrusted truncate">{title}</p>
        <p className="untrusted text-small text-muted">
          {isOwn ? keyText(key, isOwn) : `${baseUrl} · ${keyText(key, isOwn)}`}
        </p>
        {problem ? (
          <p role="status" className="text-small">
            <span className={`untrusted mr-2 ${problem.isWithoutList ? 'text-muted' : 'text-red'}`}>
              {problem.message}
            </span>
            <TextButton aria-label={`Try again: ${title}`} onClick={onRetry}>
              Try again
            </TextButton>
          </p>
        ) : null}
      </div>
      {offered ? (
        <Button {...common} variant="primary" onClick={() => onAllow(offered)}>
          Use {offered}
        </Button>
      ) : null}
      <Button
        {...common}
        aria-label={`${hasKey || !isOwn ? 'Change' : 'Add a key for'} ${title}`}
        onClick={onChange}
      >
        {hasKey || !isOwn ? 'Change…' : 'Add a key…'}
      </Button>
      {hasKey || !isOwn ? (
        <Button
          {...common}
          aria-label={isOwn ? `Remove key of ${title}` : `Remove ${title}`}
          onClick={onForget}
        >
          {isOwn ? 'Remove key' : 'Remove'}
        </Button>
      ) : null}
    </li>
  )
}

/** The texts of the fields; empty for none. */
interface EditedDefaults {
  defaultModel: string
  subAgentModel: string
}

function DefaultModels(props: {
  providers: ProviderState[]
  names: string[]
  stored: EditedDefaults
  onSaved(): void
}) {
  const { providers, names, stored, onSaved } = props
  const { client } = useStores()
  const unreachable = useUnreachable()
  const [edited, setEdited] = useState(stored)
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Problem | null>(null)
  const defaultModel = edited.defaultModel.trim()
  const subAgentModel = edited.subAgentModel.trim()
  const isChanged = defaultModel !== stored.defaultModel || subAgentModel !== stored.subAgentModel
  useUnsaved('default models', isChanged)
  const save = async () => {
    setBusy(true)
    setRefused(null)
    await client.models
      .setDefaults({ defaultModel: defaultModel || null, subAgentModel: subAgentModel || null })
      .then(onSaved, (error: unknown) => setRefused(problemOf(error, 'save the default models')))
    setBusy(false)
  }
  const errorOf = (field: keyof EditedDefaults) =>
    refused?.field === field ? refused.message : null
  return (
    <form
      className="flex max-w-lg flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) void save()
      }}
    >
      <ModelField
        label="Default model"
        hint="For new agents, until one is started with another model: then that one is preselected."
        error={errorOf('defaultModel')}
        providers={providers}
        names={names}
        value={edited.defaultModel}
        onChange={(value) => setEdited({ ...edited, defaultModel: value })}
      />
      <div className="flex flex-wrap items-center gap-2">
        <ModelTestLine model={defaultModel} />
      </div>
      <ModelField
        label="Model for sub-agents"
        hint="For the built-in ones: explore, implement and review. Leave it empty to use the model of the agent that starts them."
        error={errorOf('subAgentModel')}
        providers={providers}
        names={names}
        value={edited.subAgentModel}
        onChange={(value) => setEdited({ ...edited, subAgentModel: value })}
      />
      {refused && refused.field === null ? <ProblemNotice problem={refused} /> : null}
      <Button
        type="submit"
        className="self-start"
        busy={busy}
        variant={isChanged ? 'primary' : 'quiet'}
        disabled={!isChanged || unreachable !== undefined}
        title={unreachable}
      >
        Save models
      </Button>
    </form>
  )
}
