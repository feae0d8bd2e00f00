import type { AgentSpec } from '../../../shared/agents/agent-specs.ts'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import { useModelNames } from '../models/model-field.tsx'
import { isUsable, useModelSettings } from '../models/use-model-settings.ts'
import { rankedMatches, scoreOf } from '../palette/search.ts'
import { PickerItem } from './picker-item.tsx'

/** A list of hundreds of models is searched, not scrolled. */
const shownMax = 60

type ModelSpec = Extract<AgentSpec, { kind: 'model' }>

/** The models that can be selected, by the text that the list searches. */
export function ModelItems(props: {
  spec: ModelSpec
  text: string
  /** As `PROVIDER/MODEL`. */
  onChoose(model: string): void
}) {
  const { spec, text, onChoose } = props
  const { providers } = useModelSettings()
  const usable = (providers ?? []).filter(isUsable)
  const { names, problems } = useModelNames(providers)
  const current = nameOf(spec, usable)
  const matches = rankedMatches(names, (name) => scoreOf(text, [name]))
  const typed = text.trim()
  // A provider may have models that it does not list.
  const isOther = typed.includes('/') && !names.includes(typed)
  return (
    <>
      {matches.slice(0, shownMax).map((name) => (
        <PickerItem
          key={name}
          value={name}
          isCode
          isCurrent={name === current}
          onSelect={() => onChoose(name)}
        >
          {name}
        </PickerItem>
      ))}
      {isOther ? (
        <PickerItem value={`use ${typed}`} onSelect={() => onChoose(typed)}>
          Use {typed}
        </PickerItem>
      ) : null}
      {problems.map(({ provider, message }) => (
        <p key={provider} className="untrusted px-2 py-1 text-small text-muted">
          {message} Type {provider}/MODEL.
        </p>
      ))}
      {matches.length === 0 && !isOther && problems.length === 0 ? (
        <p className="px-2 py-3 text-muted">
          {providers === null
            ? 'Loading the models…'
            : usable.length === 0
              ? 'No model is set up. Add a key in Settings › Models.'
              : 'No matches. Type PROVIDER/MODEL to use a model that is not listed.'}
        </p>
      ) : null}
    </>
  )
}

/** Uses the name that the user gave the server. */
function nameOf(spec: ModelSpec, providers: ProviderState[]): string {
  const server = providers.find(
    ({ kind, baseUrl, isOwn }) =>
      kind === spec.provider && (isOwn ? spec.baseUrl === undefined : baseUrl === spec.baseUrl),
  )
  return `${server?.name ?? spec.provider}/${spec.model}`
}
