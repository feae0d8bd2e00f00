import type { ModelProvider } from '../../../shared/agents/model-refs.ts'

/** Where each provider is reached unless a base URL is given; null: it has no address of its own. */
export const ownBaseUrls: Record<ModelProvider, string | null> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': null,
}
