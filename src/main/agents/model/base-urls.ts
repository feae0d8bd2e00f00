import type { ModelProvider } from '../../../shared/agents/model-refs.ts'

/** The address of each provider unless a base URL is given; null if the provider has no fixed address. */
export const ownBaseUrls: Record<ModelProvider, string | null> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': null,
}
