/** Whether a model can be asked, and with which key. Loads no provider. */
import type { ModelProvider, ModelRef } from '../../../shared/agents/model-refs.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import { keyVariables, type ProviderKeys } from './keys.ts'

/** Where each provider is reached unless a base URL is given. */
const ownBaseUrls: Record<ModelProvider, string | null> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': null,
}

export interface ModelAccess {
  keys: ProviderKeys
  /** For tests. */
  fetch?: typeof globalThis.fetch
}

/** Why a model can't be asked; null when it can, as far as can be told without asking. */
export async function obstacleTo(ref: ModelRef, { keys }: ModelAccess): Promise<Cause | null> {
  if (baseUrlOf(ref) === null)
    return notStarted('an OpenAI-compatible model needs the address of its server: --base-url URL.')
  if (!isOwnOrigin(ref) || (await keys.get(ref.provider)) !== null) return null
  const [name] = keyVariables[ref.provider]
  return {
    kind: 'sign-in',
    detail: `there is no key for ${ref.provider}. Set ${name} where Shiplog is started.`,
  }
}

const notStarted = (detail: string): Cause => ({ kind: 'not-started', step: 'run', detail })

/** A key for one origin is not shown to another, whoever named that. Null: it is asked without one. */
export const keyFor = async (ref: ModelRef, { keys }: ModelAccess): Promise<string | null> =>
  isOwnOrigin(ref) ? keys.get(ref.provider) : null

/** Null: nobody said where it is. */
export const baseUrlOf = ({ provider, baseUrl }: ModelRef): string | null =>
  baseUrl?.replace(/\/+$/, '') ?? ownBaseUrls[provider]

function isOwnOrigin(ref: ModelRef): boolean {
  const [own, used] = [ownBaseUrls[ref.provider], baseUrlOf(ref)]
  return own !== null && used !== null && new URL(own).origin === new URL(used).origin
}
