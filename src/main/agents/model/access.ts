/** Checks whether a model is usable, without loading a provider. */
import type { ModelRef } from '../../../shared/agents/model-refs.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import { ownBaseUrls } from './base-urls.ts'
import type { ContextWindow } from './context-window.ts'
import { keyVariables, type ProviderKeys } from './keys.ts'

export interface ModelAccess {
  keys: ProviderKeys
  /** Resolves with the context window that the user set for the model, or that its server reports. */
  contextWindow?: (ref: ModelRef) => Promise<ContextWindow>
  /** For tests. */
  fetch?: typeof globalThis.fetch
}

/** Resolves with the cause for which a model can't be used; null if none is known without a request. */
export async function obstacleTo(ref: ModelRef, { keys }: ModelAccess): Promise<Cause | null> {
  if (baseUrlOf(ref) === null)
    return notStarted('an OpenAI-compatible model needs the address of its server: --base-url URL.')
  const { keyEnv } = ref
  if (keyEnv !== undefined && (await keys.get(ref)) === null)
    return {
      kind: 'sign-in',
      detail: `there is no usable key in ${keyEnv}. Set it in the environment of Shiplog; a key is sent over https only, or to this machine`,
    }
  if (!isOwnOrigin(ref) || (await keys.get(ref)) !== null) return null
  const [name] = keyVariables[ref.provider]
  return {
    kind: 'sign-in',
    detail: `there is no key for ${ref.provider}. Set one up in Settings › Models or by shiplog agent setup, or set ${name} for the command line`,
  }
}

const notStarted = (detail: string): Cause => ({ kind: 'not-started', step: 'run', detail })

/** Returns null if the provider has no address of its own and none is set. */
export const baseUrlOf = ({ provider, baseUrl }: ModelRef): string | null =>
  baseUrl?.replace(/\/+$/, '') ?? ownBaseUrls[provider]

function isOwnOrigin(ref: ModelRef): boolean {
  const [own, used] = [ownBaseUrls[ref.provider], baseUrlOf(ref)]
  return own !== null && used !== null && new URL(own).origin === new URL(used).origin
}
