/** Distinguishes a user's prompts from text that Codex adds for the model under the same role. */
import type { BuiltImage } from '../../transcript/transcript-builder.ts'
import { asRecord, records, text } from '../values.ts'

/** An event that repeats a prompt of a user. */
export const isPromptEvent = (payload: Record<string, unknown>): boolean =>
  payload.type === 'user_message' ||
  (payload.type === 'item_completed' && asRecord(payload.item).type === 'UserMessage')

/** Whether a `user` item is from a user; null: the item does not record its origin. */
export function isUserPrompt(payload: Record<string, unknown>): boolean | null {
  const { content_item_kinds: kinds } = asRecord(payload.internal_chat_message_metadata_passthrough)
  if (Array.isArray(kinds)) return kinds.some((kind) => text(kind)?.startsWith('user.'))
  return null
}

/** Whether the text begins like an addition of Codex: a tagged block, or the instructions of a folder. */
export const looksInjected = (payload: Record<string, unknown>): boolean => {
  const first = records(payload.content)
    .map((part) => text(part.text))
    .find((part) => part !== null)
  return /^\s*(?:<[a-z_]+(?: [^>]*)?>|# AGENTS\.md instructions)/.test(first ?? '')
}

/** The tag with the image's path that Codex adds around an attached image. */
const imageTag = /^\s*<\/?image(?: [^>]*)?>\s*$/

/** Texts and images of a message, in their order. */
export const contentParts = (content: unknown): (string | BuiltImage)[] =>
  records(content).flatMap((part): (string | BuiltImage)[] => {
    const image = imageOf(part.image_url)
    if (image) return [image]
    const said = text(part.text)
    if (said !== null) return imageTag.test(said) ? [] : [said]
    return [JSON.stringify(part)]
  })

/** Whether a message has a text or an image. */
export const hasContent = (payload: Record<string, unknown>): boolean =>
  records(payload.content).some(
    (part) => text(part.text) !== null || imageOf(part.image_url) !== null,
  )

/** Decodes an image in a `data:` URL; null: another URL, or none. */
export function imageOf(url: unknown): BuiltImage | null {
  const given = typeof url === 'string' ? url : text(asRecord(url).url)
  const [head, mediaType] = /^data:(image\/[\w.+-]+);base64,/.exec(given?.slice(0, 200) ?? '') ?? []
  if (given === null || head === undefined || mediaType === undefined) return null
  return { mediaType, data: Buffer.from(given.slice(head.length), 'base64') }
}
