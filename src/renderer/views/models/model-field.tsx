import { Autocomplete } from '@base-ui/react/autocomplete'
import { type ReactNode, useEffect, useState } from 'react'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import { Field, TextButton, TextInput } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { isUsable } from './use-model-settings.ts'

/** A provider may list hundreds of models: the user narrows them by typing. */
const shownMax = 60

/** A model as `PROVIDER/MODEL`, with those that the providers list as suggestions; any other name is accepted too. */
export function ModelField(props: {
  label: string
  hint?: string
  error?: string | null
  providers: ProviderState[]
  names: string[]
  /** Shown instead of, or with, the hint: why some names are not known. */
  problem?: ReactNode
  value: string
  onChange(value: string): void
}) {
  const { label, hint, error, providers, names, problem, value, onChange } = props
  const example = providers.find(isUsable)?.name ?? 'anthropic'
  return (
    <Field
      label={label}
      hint={
        problem ? (
          <>
            {hint ? <span className="block">{hint}</span> : null}
            {problem}
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
export function UnlistedModels(props: {
  problems: UnlistedProvider[]
  onRetry(): void
  /** Opens the settings of providers. */
  onSettings(): void
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
      <TextButton onClick={onSettings}>Open Settings</TextButton>
    </span>
  )
}

export interface UnlistedProvider {
  provider: string
  message: string
  /** It has no list of models, and may answer as any other. */
  isWithoutList: boolean
}

type Listed = { names: string[] } | Omit<UnlistedProvider, 'provider'>

interface ModelNames {
  names: string[]
  /** Providers whose models could not be listed. */
  problems: UnlistedProvider[]
  retry(): void
}

/**
 * Model names as `PROVIDER/MODEL`, requested once from each usable provider; again whenever `providers` is another array,
 * because an address or a key may have changed, and by `retry`.
 */
export function useModelNames(providers: readonly ProviderState[] | null): ModelNames {
  const { client } = useStores()
  const [listed, setListed] = useState<Record<string, Listed>>({})
  const [attempts, setAttempts] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `attempts` repeats the requests
  useEffect(() => {
    let wanted = true
    const set = (provider: string, one: Listed) =>
      wanted && setListed((before) => ({ ...before, [provider]: one }))
    // An earlier problem may name an address that is no longer set. Earlier names stay until the answer.
    setListed((before) =>
      Object.fromEntries(Object.entries(before).filter(([, one]) => 'names' in one)),
    )
    for (const { name } of (providers ?? []).filter(isUsable))
      client.models.list({ provider: name }).then(
        ({ models }) => set(name, { names: models.map((model) => `${name}/${model}`) }),
        (error: unknown) => {
          const { message, reason } = problemOf(error, 'list the models')
          set(name, { message, isWithoutList: reason === 'no-model-list' })
        },
      )
    return () => {
      wanted = false
    }
  }, [client, providers, attempts])
  const known = (providers ?? [])
    .filter(isUsable)
    .map(({ name }) => ({ provider: name, ...listed[name] }))
  return {
    names: known.flatMap((one) => ('names' in one ? (one.names ?? []) : [])),
    problems: known.flatMap((one) =>
      'message' in one && one.message !== undefined
        ? [
            {
              provider: one.provider,
              message: one.message,
              isWithoutList: one.isWithoutList ?? false,
            },
          ]
        : [],
    ),
    retry: () => setAttempts((count) => count + 1),
  }
}
