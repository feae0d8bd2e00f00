/** Where a provider's key comes from. It goes to the provider's own origin and nowhere else (K1). */
import type { ModelProvider } from '../../../shared/agents/model-refs.ts'

export interface ProviderKeys {
  /** Null: there is none. */
  get(provider: ModelProvider): Promise<string | null>
}

/** The usual variables of the process that Shiplog runs in; the first that is set wins. */
export const keyVariables: Record<ModelProvider, readonly string[]> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  'openai-compatible': [],
}

export const keysFromEnvironment = (env: NodeJS.ProcessEnv): ProviderKeys => ({
  async get(provider) {
    const values = keyVariables[provider].map((name) => env[name]?.trim())
    return values.find((value) => value) ?? null
  },
})

/** Whether some provider could be asked: one that has no key needs the address of a person's own server. */
export function modelsHere(env: NodeJS.ProcessEnv): { available: boolean; why: string | null } {
  const names = Object.values(keyVariables).flat()
  if (names.some((name) => env[name]?.trim())) return { available: true, why: null }
  return {
    available: false,
    why: `no key is set (${names.join(', ')}); a server of your own needs none: --base-url`,
  }
}
