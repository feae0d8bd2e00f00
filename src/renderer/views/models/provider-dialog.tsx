import { useRef, useState } from 'react'
import {
  type ProviderState,
  providerEntrySchema,
  providerFieldNames,
} from '../../../shared/agents/provider-settings.ts'
import { Field, TextInput, toast } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { providerTitle } from './provider-text.ts'

/** The key of a provider, or name, address and key of a server that speaks OpenAI's chat interface. */
export function ProviderDialog(props: { provider: ProviderState | null; onSaved(): void }) {
  const { provider, onSaved } = props
  const { client } = useStores()
  const first = useRef<HTMLInputElement>(null)
  const [name, setName] = useState(provider?.name ?? '')
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? '')
  const [key, setKey] = useState('')
  const [context, setContext] = useState(provider?.contextTokens?.toString() ?? '')
  /** What is wrong with each field, as far as it shows before the host is asked. */
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState<Problem | null>(null)
  const isOwn = provider?.isOwn ?? false
  const hasKey = provider?.key.from === 'stored'
  const errorOf = (field: string) =>
    errors[field] ?? (problem?.field === field ? problem.message : null)
  const canSubmit = isOwn ? key.trim() !== '' : name.trim() !== '' && baseUrl.trim() !== ''
  const submit = async () => {
    setProblem(null)
    const entry = {
      name: provider?.name ?? name.trim().toLowerCase(),
      kind: provider?.kind ?? 'openai-compatible',
      ...(isOwn ? {} : { baseUrl: addressIn(baseUrl) }),
      ...(context.trim() === '' ? {} : { contextTokens: tokensIn(context) }),
    }
    const found = errorsIn(entry)
    setErrors(found)
    if (Object.keys(found).length > 0) return false
    try {
      await client.models.saveProvider({
        ...entry,
        ...(key.trim() === '' ? {} : { key: key.trim() }),
      })
    } catch (error) {
      const found = problemOf(error, 'save the provider')
      if (found.field === null) throw error
      // The field shows it.
      setProblem(found)
      return false
    }
    onSaved()
    toast.success(`${provider ? providerTitle(provider) : entry.name} was saved.`)
    return true
  }
  return (
    <FormDialog
      title={
        isOwn && provider
          ? `Key for ${providerTitle(provider)}`
          : provider
            ? `Change ${provider.name}`
            : 'Add a server'
      }
      action="Save"
      doing="save the provider"
      canSubmit={canSubmit}
      submit={submit}
      focus={first}
    >
      {isOwn ? null : (
        <>
          <p className="text-muted">
            Any server with OpenAI’s chat interface: Ollama, LM Studio, vLLM, OpenRouter and others.
          </p>
          {provider ? null : (
            <Field
              label="Name"
              hint="Models are named after it, such as ollama/qwen3:8b."
              error={errorOf('name')}
            >
              <TextInput
                ref={first}
                value={name}
                placeholder="ollama"
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
          )}
          <Field label="Address" hint="Usually ends in /v1." error={errorOf('baseUrl')}>
            <TextInput
              ref={provider ? first : undefined}
              value={baseUrl}
              placeholder="http://127.0.0.1:11434/v1"
              onChange={(event) => setBaseUrl(event.target.value)}
            />
          </Field>
        </>
      )}
      {isOwn ? null : (
        <Field
          label="Context window, in tokens"
          hint="Leave it empty to use what the server reports, or 64,000 if it reports nothing."
          error={errorOf('contextTokens')}
        >
          <TextInput
            inputMode="numeric"
            value={context}
            onChange={(event) => setContext(event.target.value)}
          />
        </Field>
      )}
      <Field
        label={isOwn ? 'Key' : 'Key, if the server needs one'}
        hint={hasKey ? 'Leave it empty to keep the stored one.' : 'Stored on this computer.'}
        error={errorOf('key')}
      >
        <TextInput
          ref={isOwn ? first : undefined}
          type="password"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}

/** Accepts grouped digits. Returns 0 for other texts, which the host refuses. */
const tokensIn = (text: string): number => {
  const tokens = Number(text.replaceAll(/[\s,._’']/g, ''))
  return Number.isFinite(tokens) ? tokens : 0
}

function errorsIn(entry: object): Record<string, string> {
  const { error } = providerEntrySchema.safeParse(entry)
  return Object.fromEntries(
    (error?.issues ?? []).toReversed().map(({ path, message }) => {
      const field = String(path[0])
      return [field, `${providerFieldNames[field] ?? 'It'} ${message}.`]
    }),
  )
}

const loopback = /^(localhost|127\.|\[::1\])/

/** Completes an address without a scheme: only this machine is asked without encryption. */
function addressIn(text: string): string {
  const typed = text.trim()
  if (typed === '' || typed.includes('://')) return typed
  return `${loopback.test(typed) ? 'http' : 'https'}://${typed}`
}
