/**
 * What the model of a thread said. Codex records it as items and as events, the event usually first: each is told once.
 * Items with one answer of the model are one turn, which ends with its usage or with the result of a call.
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
  /** Whether the turn of the last answer can still be added to. */
  let isOpen = false
  /** Usage of an answer without a turn: the next turn gets it. */
  let carried: Usage | null = null
  /** Usage of the turn that can still be added to. */
  let counted: Usage | null = null
  /** Events whose items have not come yet. */
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
    /** The id of the turn that can still be added to, also after its usage: for the results of its calls. */
    openId: (): string => (isOpen ? `response ${responses}` : responseId()),
    /** An event: its item is before it or after it, or there is none. */
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
    /** Says what only events have. */
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
    /** The answer is complete; what comes is another one. */
    over(): void {
      isOver = true
    },
    /** Something else than calls and results follows: the turn is closed. */
    close(): void {
      isOver = true
      isOpen = false
    },
    /** At the end: usage of an answer that was not recorded, such as that of a compaction. */
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

/** Reasoning has an event for each of its sections. */
const holds = (kind: SpeechKind, whole: string, part: string): boolean =>
  whole === part || (kind === 'reasoning' && whole.includes(part))

/** The words of a reasoning item, if it has any. */
export const reasoningText = (payload: Record<string, unknown>): string =>
  [...records(payload.summary), ...records(payload.content)]
    .flatMap((part) => text(part.text) ?? [])
    .join('\n\n')
