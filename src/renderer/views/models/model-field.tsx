import { Autocomplete } from '@base-ui/react/autocomplete'
import { useEffect, useState } from 'react'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import { Field, TextButton, TextInput } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { isUsable } from './use-model-settings.ts'

/** A provider may list hundreds of models: the person narrows them by typing. */
const shownMax = 60

/** A model as `PROVIDER/MODEL`, with those that the providers list as suggestions; any other name is accepted too. */
export function ModelField(props: {
  label: string
  hint?: string
  error?: string | null
  providers: ProviderState[]
  value: string
  onChange(value: string): void
  /** Opens the settings of providers; absent: they are on this screen. */
  onSettings?(): void
}) {
  const { label, hint, error, providers, value, onChange, onSettings } = props
  const { names, problems, retry } = useModelNames(providers)
  const example = providers.find(isUsable)?.name ?? 'anthropic'
  const unlisted =
    problems.length > 0 ? (
      <UnlistedModels problems={problems} onRetry={retry} onSettings={onSettings} />
    ) : null
  return (
    <Field
      label={label}
      hint={
        unlisted ? (
          <>
            {hint ? <span className="block">{hint}</span> : null}
            {unlisted}
          </>
        ) : (
          hint
        )
      }
      error={error ?? null}
    >
      <Autocomplete.Root
        items={names}
        value={value}
        onValueChange={onChange}
        limit={shownMax}
        openOnInputClick
      >
        <Autocomplete.Input
          render={<TextInput />}
          aria-label={label}
          placeholder={example === 'anthropic' ? 'anthropic/claude-opus-5-5' : `${example}/MODEL`}
        />
        <Autocomplete.Portal>
          <Autocomplete.Positioner sideOffset={4} className="z-50 outline-none">
            <Autocomplete.Popup className="max-h-80 w-(--anchor-width) overflow-auto rounded-md bg-raised p-1 text-ui text-ink shadow-popup outline-none data-empty:hidden">
              <Autocomplete.List>
                {(name: string) => (
                  <Autocomplete.Item
                    key={name}
                    value={name}
                    className="untrusted truncate rounded-sm px-2 py-1 font-mono text-code outline-none select-none data-highlighted:bg-hover"
                  >
                    {name}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
    </Field>
  )
}

/** Why there are no suggestions of some providers, and that a name can be typed. */
function UnlistedModels(props: {
  problems: UnlistedProvider[]
  onRetry(): void
  onSettings?: (() => void) | undefined
}) {
  const { problems, onRetry, onSettings } = props
  return (
    <span role="status" className="block">
      {problems.map(({ provider, message }) => (
        <span key={provider} className="untrusted block">
          {message}
        </span>
      ))}
      Type a name as {problems[0]?.provider}/MODEL.{' '}
      <TextButton className="mr-2" onClick={onRetry}>
        Try again
      </TextButton>
      {onSettings ? <TextButton onClick={onSettings}>Open Settings</TextButton> : null}
    </span>
  )
}

interface UnlistedProvider {
  provider: string
  message: string
}

type Listed = { names: string[] } | { message: string }

/** Model names as `PROVIDER/MODEL`, requested once from each usable provider, and again by `retry`. */
export function useModelNames(providers: ProviderState[]): {
  names: string[]
  /** Providers whose models could not be listed. */
  problems: UnlistedProvider[]
  retry(): void
} {
  const { client } = useStores()
  const [listed, setListed] = useState<Record<string, Listed>>({})
  const [attempts, setAttempts] = useState(0)
  const usable = providers.filter(isUsable).map(({ name }) => name)
  const key = usable.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `attempts` repeats the requests
  useEffect(() => {
    let wanted = true
    const set = (provider: string, one: Listed) =>
      wanted && setListed((before) => ({ ...before, [provider]: one }))
    for (const provider of key.split(' ').filter(Boolean)) {
      client.models.list({ provider }).then(
        ({ models }) => set(provider, { names: models.map((model) => `${provider}/${model}`) }),
        (error: unknown) => set(provider, { message: problemOf(error, 'list the models').message }),
      )
    }
    return () => {
      wanted = false
    }
  }, [client, key, attempts])
  const known = usable.map((provider) => ({ provider, ...listed[provider] }))
  return {
    names: known.flatMap((one) => ('names' in one ? (one.names ?? []) : [])),
    problems: known.flatMap((one) =>
      'message' in one && one.message !== undefined
        ? [{ provider: one.provider, message: one.message }]
        : [],
    ),
    retry: () => setAttempts((count) => count + 1),
  }
}
