/**
 * Maps the model's text and reasoning. Codex records each as an item and as an event, usually the event first;
 * duplicates are merged. The items of one response form a turn, which ends with its usage or with the result of a call.
 */
import type { ProviderData } from '../../../../shared/agents/agent-records.ts'
import { addUsage, type Usage } from '../../../../shared/records/usage.ts'
import type { TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { records, text } from '../values.ts'
import type { Mapping } from './lines.ts'

type OutputKind = 'text' | 'reasoning'

export type ModelOutput = ReturnType<typeof createModelOutput>

export function createModelOutput(builder: TranscriptBuilder, modelOf: () => string | null) {
  let responses = 0
  let isOver = true
  /** Whether the turn of the last response is still open. */
  let isOpen = false
  /** Usage of a response without a turn, which is added to the next turn. */
  let carried: Usage | null = null
  /** Usage of the open turn. */
  let counted: Usage | null = null
  /** Events without an item so far. */
  let waiting: { kind: OutputKind; said: string }[] = []
  let lastSaid = { text: '', reasoning: '' }
  let lastText: string | null = null

  const origin = () => ({ messageId: responseId(), uuid: null })

  function responseId(): string {
    if (isOver || !isOpen) {
      responses++
      isOver = false
      isOpen = true
      const facts = { usage: carried, model: modelOf(), stop: null, uuid: null }
      counted = carried
      carried = null
      builder.setUsage(`response ${responses}`, facts)
    }
    return `response ${responses}`
  }

  function emit(kind: OutputKind, said: string, data?: ProviderData['data']): void {
    const model = modelOf()
    const providerData = data && { provider: 'codex', model: model ?? '', data }
    builder.addText({ type: kind, text: said, ...(providerData && { providerData }) }, origin())
    lastSaid = { ...lastSaid, [kind]: said }
    if (kind === 'text') lastText = said
  }

  return {
    responseId,
    /** The id of the open turn, which stays open for results of its calls after its usage. */
    openTurnId: (): string => (isOpen ? `response ${responses}` : responseId()),
    /** Handles an event, whose item may precede it, follow it, or be missing. */
    addEvent(kind: OutputKind, said: string | null): Mapping {
      if (said === null) return 'quiet'
      if (said !== '' && !covers(kind, lastSaid[kind], said)) waiting.push({ kind, said })
      return 'mapped'
    },
    hasEvent: (said: string): boolean =>
      waiting.some((one) => one.kind === 'text' && one.said === said),
    addItem(kind: OutputKind, said: string, data?: ProviderData['data']): void {
      waiting = waiting.filter((one) => one.kind !== kind || !covers(kind, said, one.said))
      emit(kind, said, data)
    },
    /** Emits texts that only events have. */
    flushEvents(): void {
      for (const { kind, said } of waiting.splice(0)) emit(kind, said)
      lastSaid = { text: '', reasoning: '' }
    },
    addUsage(usage: Usage): void {
      if (isOpen) {
        counted = counted ? addUsage(counted, usage) : usage
        const facts = { usage: counted, model: null, stop: null, uuid: null }
        builder.setUsage(`response ${responses}`, facts)
      } else carried = carried ? addUsage(carried, usage) : usage
      isOver = true
    },
    /** Marks the response as complete; later items begin another one. */
    endResponse(): void {
      isOver = true
    },
    /** Closes the turn, because something other than calls and results follows. */
    endTurn(): void {
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
    clearLastText(): void {
      lastText = null
    },
  }
}

/** Whether the item contains the event's text. Reasoning has one event per section. */
const covers = (kind: OutputKind, whole: string, part: string): boolean =>
  whole === part || (kind === 'reasoning' && whole.includes(part))

/** The text of a reasoning item; empty if it has none. */
export const reasoningText = (payload: Record<string, unknown>): string =>
  [...records(payload.summary), ...records(payload.content)]
    .flatMap((part) => text(part.text) ?? [])
    .join('\n\n')
