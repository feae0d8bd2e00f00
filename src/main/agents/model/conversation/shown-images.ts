/** Selects the images that a model is shown: the newest of the conversation, within the limits of one request. */

import type { SessionHistory } from '../../../../shared/agents/driver/agent-place.ts'
import type { ModelProvider } from '../../../../shared/agents/model-refs.ts'
import type { ConversationItem, ImagePart } from './conversation.ts'

/** With more images, Anthropic accepts only smaller ones. */
const imagesMax = 20
/** Google accepts requests of 20 MB, in which images are base64. */
const imagesBytesMax = 14_000_000

interface ShownImages {
  /** Selects the images of a conversation and reads them from the record. */
  of(conversation: readonly ConversationItem[]): Promise<(sha256: string) => Uint8Array | null>
  /** Shows no more images, because the model refused them. */
  refuse(): void
  /** The number of images in the last request. */
  readonly count: number
}

/** Gemini refuses a request with any of these. */
const refusedTypes: Partial<Record<ModelProvider, readonly string[]>> = { google: ['image/gif'] }

export function createShownImages(
  history: Pick<SessionHistory, 'image'>,
  provider: ModelProvider,
): ShownImages {
  const refused = refusedTypes[provider] ?? []
  let shown = new Map<string, Uint8Array>()
  let isRefused = false

  async function of(conversation: readonly ConversationItem[]) {
    const next = new Map<string, Uint8Array>()
    let bytes = 0
    for (const { sha256, mediaType, data: given } of isRefused ? [] : newestFirst(conversation)) {
      if (next.has(sha256) || refused.includes(mediaType)) continue
      const data = given ?? shown.get(sha256) ?? (await history.image(sha256))
      if (!data) continue
      bytes += data.length
      if (next.size === imagesMax || bytes > imagesBytesMax) break
      next.set(sha256, data)
    }
    shown = next
    return (sha256: string) => next.get(sha256) ?? null
  }

  return {
    of,
    refuse() {
      isRefused = true
      shown = new Map()
    },
    get count() {
      return shown.size
    },
  }
}

const newestFirst = (conversation: readonly ConversationItem[]): ImagePart[] =>
  conversation
    .flatMap((item): readonly ImagePart[] =>
      item.type === 'user'
        ? item.parts.filter((part) => part.type === 'image')
        : item.parts.flatMap((part) => (part.type === 'call' ? (part.result?.images ?? []) : [])),
    )
    .toReversed()
