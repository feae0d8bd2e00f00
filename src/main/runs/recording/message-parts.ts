/** Collects the parts of a message that is being streamed, and masks known secrets (K3). */

import type { PartId, ProviderData } from '../../../shared/agents/agent-records.ts'
import type { SpeechKind } from '../../../shared/agents/driver/agent-events.ts'
import type { Masker, MaskStream } from '../../../shared/agents/driver/masker.ts'
import type { MessagePart, SpeechPart } from '../../../shared/records/entry-types/messages.ts'
import type { ToolCallId } from '../../../shared/records/ids.ts'

export interface MessageParts {
  begin(part: { part: PartId; kind: SpeechKind; providerData?: ProviderData }): void
  /** Begins the part if it has not begun. The same id with another kind is another part. */
  add(delta: { part: PartId; kind: SpeechKind; text: string }): void
  /** Does nothing if no such part is open. */
  end(part: PartId, providerData?: ProviderData): void
  addCall(callId: ToolCallId, name: string): void
  /** Reports whether a part has data that its provider requires on resume. */
  holdProviderData(): boolean
  /** Ends all parts and returns those that are not empty. Idempotent. */
  finish(): MessagePart[]
}

interface OpenPart {
  index: number
  kind: SpeechKind
  /** The held-back end, which may be the beginning of a secret. */
  stream: MaskStream
}

export function createMessageParts(
  mask: Masker,
  listener: {
    /** Called with all parts when one was added. */
    onPart: (parts: MessagePart[]) => void
    onText: (index: number, kind: SpeechKind, text: string) => void
  },
): MessageParts {
  const parts: MessagePart[] = []
  const open = new Map<PartId, OpenPart>()

  function begin({ part: id, kind, providerData }: Parameters<MessageParts['begin']>[0]): OpenPart {
    end(id)
    const begun = { index: parts.length, kind, stream: mask.stream() }
    open.set(id, begun)
    parts.push({ type: kind, id: uniqueId(id), text: '', ...(providerData && { providerData }) })
    listener.onPart([...parts])
    return begun
  }

  /** Agents may reuse the id of an ended part. */
  function uniqueId(id: PartId): PartId {
    const isTaken = (wanted: PartId) => parts.some((part) => 'id' in part && part.id === wanted)
    let [unique, n] = [id, 1]
    while (isTaken(unique)) unique = `${id.slice(0, 190)}-${++n}`
    return unique
  }

  function grow({ index, kind }: OpenPart, text: string): void {
    if (text === '') return
    const part = parts[index] as SpeechPart
    parts[index] = { ...part, text: part.text + text }
    listener.onText(index, kind, text)
  }

  function end(id: PartId, providerData?: ProviderData): void {
    const ended = open.get(id)
    if (!ended) return
    grow(ended, ended.stream.end())
    open.delete(id)
    if (!providerData) return
    parts[ended.index] = { ...(parts[ended.index] as SpeechPart), providerData }
    listener.onPart([...parts])
  }

  return {
    begin,
    add({ part: id, kind, text }) {
      const known = open.get(id)
      const part = known?.kind === kind ? known : begin({ part: id, kind })
      grow(part, part.stream.push(text))
    },
    end,
    addCall(callId, name) {
      parts.push({ type: 'tool-call', callId, name })
      listener.onPart([...parts])
    },
    holdProviderData: () => parts.some((part) => 'providerData' in part),
    finish() {
      for (const id of [...open.keys()]) end(id)
      return parts.filter((part) => !('text' in part) || part.text !== '' || part.providerData)
    },
  }
}
