/** The providers of models that a user has set up. Names and addresses only: a key never leaves the main process (K1). */
import { z } from 'zod'
import { chosenNameSchema } from './chosen-name.ts'
import { modelProviderSchema, modelRefSchema } from './model-refs.ts'

export const providersMax = 30
export const providerKeyCharsMax = 4096

/** A smaller window has no room for instructions; no model has a larger one. */
const contextTokensRange = { min: 4_000, max: 10_000_000 }
const contextTokensSchema = z
  .number()
  .int('must be a whole number of tokens')
  .min(contextTokensRange.min, 'must be at least 4,000 tokens')
  .max(contextTokensRange.max, 'must be at most 10,000,000 tokens')

/** How errors of the fields begin. */
export const providerFieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  baseUrl: 'The address',
  contextTokens: 'The context window',
}

/** A provider in the settings file. Providers with an address of their own exist without an entry. */
export const providerEntrySchema = z.object({
  /** Unique. That of a provider with an address of its own is its kind. */
  name: chosenNameSchema,
  kind: modelProviderSchema,
  /** Absent: the provider's own. */
  baseUrl: modelRefSchema.shape.baseUrl,
  /** The user allowed the use of the environment variable of this name. */
  keyVariable: z.string().optional(),
  /** Tokens of one request to its models, answer included. Absent: from the list of models, else a default. */
  contextTokens: contextTokensSchema.optional(),
})
export type ProviderEntry = z.infer<typeof providerEntrySchema>

/** Where the key of a provider comes from. */
const providerKeySchema = z.discriminatedUnion('from', [
  /** `where`: `keychain`: encrypted with the system's keychain; `file`: readable only by this user. */
  z.object({ from: z.literal('stored'), where: z.enum(['keychain', 'file']) }),
  z.object({ from: z.literal('environment'), variable: z.string() }),
  /** `offered`: an environment variable with a key, which is used once the user allows it. */
  z.object({ from: z.literal('none'), offered: z.string().nullable() }),
  z.object({ from: z.literal('unreadable'), why: z.string() }),
])
export type ProviderKey = z.infer<typeof providerKeySchema>

export const providerStateSchema = z.object({
  name: z.string(),
  kind: modelProviderSchema,
  /** Null if the provider has no address of its own and none was set. */
  baseUrl: z.string().nullable(),
  /** True: the provider has an address of its own. It can't be removed, only its key. */
  isOwn: z.boolean(),
  key: providerKeySchema,
  /** Null: none was set. */
  contextTokens: z.number().nullable(),
})
export type ProviderState = z.infer<typeof providerStateSchema>

/** The result of a short test exchange with a model. */
export const modelTestSchema = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('ok'),
    /** The beginning of its answer. */
    answer: z.string(),
    ms: z.number(),
    /** Whether it called the offered tool; agents need models that do. */
    callsTools: z.boolean(),
    /** The context window that its server reports; null: none. */
    contextTokens: z.number().nullable(),
  }),
  z.object({ outcome: z.literal('failed'), why: z.string() }),
])
export type ModelTest = z.infer<typeof modelTestSchema>

/** The default models of agents, as `PROVIDER/MODEL`; null if none was set. */
export const modelDefaultsSchema = z.object({
  /** The model that is preselected for a new agent. */
  defaultModel: z.string().nullable(),
  /** The model of the built-in sub-agents; null: that of the agent that starts them. */
  subAgentModel: z.string().nullable(),
})
export type ModelDefaults = z.infer<typeof modelDefaultsSchema>
