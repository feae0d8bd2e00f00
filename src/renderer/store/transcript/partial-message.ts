import type { SessionFeedEvent } from '../../../shared/contract/feed.ts'
import type { MessagePart, PartialMessage } from '../../../shared/records/entry-types/messages.ts'

type Delta = Extract<SessionFeedEvent, { type: 'delta' }>

/** Returns the message in progress with `delta` added; parts are replaced, never changed in place. */
export function addDelta(partial: PartialMessage, delta: Delta): PartialMessage {
  const known = partial.parts[delta.part]
  const isSamePart = known?.type === delta.partType
  const part: MessagePart = {
    type: delta.partType,
    text: (isSamePart ? known.text : '') + delta.text,
  }
  return { ...partial, parts: partial.parts.toSpliced(delta.part, isSamePart ? 1 : 0, part) }
}
