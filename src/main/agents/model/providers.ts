/** Opens the language model of a spec. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import type { ModelRef } from '../../../shared/agents/model-refs.ts'
import { assertNever } from '../../../shared/assert-never.ts'
import { baseUrlOf, type ModelAccess } from './access.ts'
import type { MessageTarget } from './conversation/messages.ts'

export interface OpenedModel {
  model: LanguageModel
  /** The provider that opaque data is kept for and returned to (G3). */
  target: MessageTarget
  /** Calls the listener for each piece of an answer's body, pings included. Returns the unsubscribe function. */
  onBytes(listener: () => void): () => void
}

/** Rejects with an Error if the model has no base URL. Call `obstacleTo` first. */
export async function openModel(ref: ModelRef, access: ModelAccess): Promise<OpenedModel> {
  const baseURL = baseUrlOf(ref)
  if (baseURL === null) throw new Error('It has no base URL.')
  const key = await access.keys.get(ref)
  const listeners = new Set<() => void>()
  const settings = {
    baseURL,
    // Without a key here, the SDK would send one from the environment.
    apiKey: key ?? noKey,
    fetch: notifying(listeners, boundTo(baseURL, access.fetch ?? globalThis.fetch)),
  }
  return {
    model: modelOf(ref, settings),
    target: {
      provider: ref.baseUrl === undefined ? ref.provider : `${ref.provider} ${baseURL}`,
      model: ref.model,
    },
    onBytes(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Sent to servers for which no key is set; most of them require none. */
const noKey = 'no-key'

function modelOf(
  { provider, model }: ModelRef,
  settings: { baseURL: string; apiKey: string; fetch: typeof globalThis.fetch },
): LanguageModel {
  switch (provider) {
    case 'anthropic':
      return createAnthropic(settings)(model)
    case 'openai':
      return createOpenAI(settings).responses(model)
    case 'google':
      return createGoogle(settings)(model)
    case 'openai-compatible':
      return createOpenAICompatible({ ...settings, name: 'compatible', includeUsage: true })(model)
    default:
      return assertNever(provider)
  }
}

/** Refuses requests to other origins, and redirects, because they would send the key there. */
function boundTo(baseURL: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const { origin } = new URL(baseURL)
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== origin)
      throw new Error(`A request to ${url.origin} was stopped: the model is at ${origin}.`)
    return fetch(input, { ...init, redirect: 'error' })
  }
}

/** Notifies the listeners of each piece before it is parsed, because the parsers drop pings and comments. */
function notifying(
  listeners: ReadonlySet<() => void>,
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body || !response.ok) return response
    const observer = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        for (const listener of listeners) listener()
        controller.enqueue(piece)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(observer), { status, statusText, headers })
  }
}
