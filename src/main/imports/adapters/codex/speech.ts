/**
 * Maps the model's text and reasoning. Codex records each as an item and as an event, usually the event first;
 * duplicates are merged. The items of one response form a turn, which ends with its usage or with the result of a call.
 */
import type { ProviderData } from '../../../../shared/agents/agent-records.ts'
import { addUsage, type Usage } from '../../../../shared/records/usage.ts'
import type { TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { records, text } from '../values.ts'
import type { Mapping } from './lines.ts'

type SpeechKind = 'text' | 'reasoning'

export type Speech = ReturnType<typeof createSpeech>

export function createSpeech(builder: TranscriptBuilder, modelOf: () => string | null) {
  let responses = 0
  let isOver = true
  /** Whether the turn of the last response is still open. */
  let isOpen = false
  /** Usage of a response without a turn, which is added to the next turn. */
  let carried: Usage | null = null
  /** Usage of the open turn. */
  let counted: Usage | null = null
  /** Events without an item so far. */
  let waiting: { kind: SpeechKind; said: string }[] = []
  let lastSaid = { text: '', reasoning: '' }
  let lastText: string | null = null

  const of = () => ({ messageId: responseId(), uuid: null })

  function responseId(): string {
    if (isOver || !isOpen) {
      responses++
      isOver = false
      isOpen = true
      const facts = { usage: carried, model: modelOf(), stop: null, uuid: null }
      counted = carried
      carried = null
      builder.used(`response ${responses}`, facts)
    }
    return `response ${responses}`
  }

  function say(kind: SpeechKind, said: string, data?: ProviderData['data']): void {
    const model = modelOf()
    const providerData = data && { provider: 'codex', model: model ?? '', data }
    builder.said({ type: kind, text: said, ...(providerData && { providerData }) }, of())
    lastSaid = { ...lastSaid, [kind]: said }
    if (kind === 'text') lastText = said
  }

  return {
    responseId,
    /** The id of the open turn, which stays open for results of its calls after its usage. */
    openId: (): string => (isOpen ? `response ${responses}` : responseId()),
    /** Handles an event, whose item may precede it, follow it, or be missing. */
    announced(kind: SpeechKind, said: string | null): Mapping {
      if (said === null) return 'quiet'
      if (said !== '' && !holds(kind, lastSaid[kind], said)) waiting.push({ kind, said })
      return 'mapped'
    },
    isAnnounced: (said: string): boolean =>
      waiting.some((one) => one.kind === 'text' && one.said === said),
    say(kind: SpeechKind, said: string, data?: ProviderData['data']): void {
      waiting = waiting.filter((one) => one.kind !== kind || !holds(kind, said, one.said))
      say(kind, said, data)
    },
    /** Emits texts that only events have. */
    flush(): void {
      for (const { kind, said } of waiting.splice(0)) say(kind, said)
      lastSaid = { text: '', reasoning: '' }
    },
    used(usage: Usage): void {
      if (isOpen) {
        counted = counted ? addUsage(counted, usage) : usage
        const facts = { usage: counted, model: null, stop: null, uuid: null }
        builder.used(`response ${responses}`, facts)
      } else carried = carried ? addUsage(carried, usage) : usage
      isOver = true
    },
    /** Marks the response as complete; later items begin another one. */
    over(): void {
      isOver = true
    },
    /** Closes the turn, because something other than calls and results follows. */
    close(): void {
      isOver = true
      isOpen = false
    },
    /** Flushes usage of an unrecorded response, such as a compaction. */
    end(): void {
      if (carried) responseId()
    },
    get lastText() {
      return lastText
    },
    forgetLastText(): void {
      lastText = null
    },
  }
}

/** Whether the item contains the event's text. Reasoning has one event per section. */
const holds = (kind: SpeechKind, whole: string, part: string): boolean =>
  whole === part || (kind === 'reasoning' && whole.includes(part))

/** The text of a reasoning item; empty if it has none. */
export const reasoningText = (payload: Record<string, unknown>): string =>
  [...records(payload.summary), ...records(payload.content)]
    .flatMap((part) => text(part.text) ?? [])
    .join('\n\n')
