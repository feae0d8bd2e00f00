/** The source of a provider's key, which is sent to the provider's own origin only (K1). */
import type { ModelProvider, ModelRef } from '../../../shared/agents/model-refs.ts'

export interface ProviderKeys {
  /** Resolves with the key for the origin of the model's base URL; null if there is none. */
  get(ref: Pick<ModelRef, 'provider' | 'baseUrl' | 'keyEnv'>): Promise<string | null>
}

/** The usual environment variables; the first that is set is used. */
export const keyVariables: Record<ModelProvider, readonly string[]> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  'openai-compatible': [],
}
