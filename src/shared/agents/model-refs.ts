/** References to models: provider, name and address. They never contain keys (K1). */
import { z } from 'zod'

export const modelProviderSchema = z.enum(['anthropic', 'openai', 'google', 'openai-compatible'])
export type ModelProvider = z.infer<typeof modelProviderSchema>

export const keyVariableSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of an environment variable, not a key')

export const modelRefSchema = z.object({
  provider: modelProviderSchema,
  /** The provider's name for the model; may contain slashes. */
  model: z.string().trim().min(1).max(200),
  /** What the AI SDK calls `baseURL`: ends in `/v1`, Google's in `/v1beta`. Absent: the provider's own. */
  baseUrl: z
    .url({
      protocol: /^https?$/,
      error: 'must be an http or https address, such as http://127.0.0.1:11434/v1',
    })
    .refine((url) => !hasCredentials(url), 'must not contain a user name or a password')
    .optional(),
  /** The environment variable that holds the key, by name; absent: the key that is set up for the address. */
  keyEnv: keyVariableSchema.optional(),
})
export type ModelRef = z.infer<typeof modelRefSchema>

/** `anthropic/claude-opus-5-5`. */
export const modelNameOf = ({ provider, model }: Pick<ModelRef, 'provider' | 'model'>): string =>
  `${provider}/${model}`

/** Parses a result of `modelNameOf`; null if the provider is unknown or the model is empty. */
export function parseModelName(text: string): Pick<ModelRef, 'provider' | 'model'> | null {
  const slash = text.indexOf('/')
  const provider = modelProviderSchema.safeParse(text.slice(0, slash))
  const model = text.slice(slash + 1).trim()
  return slash > 0 && provider.success && model !== '' ? { provider: provider.data, model } : null
}

/** Also runs on what is no URL, which the check before it reports. */
function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}
