/** The conversation of one run, and its compaction when it fills the model's context. */

import type { ImageRef, PlanItem } from '../../../../shared/agents/agent-records.ts'
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../../../shared/agents/driver/agent-place.ts'
import type { PromptPart } from '../../../../shared/agents/driver/prompt-parts.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import type { Answer } from '../answer.ts'
import type { createAsk } from '../ask.ts'
import {
  carriedImages,
  carriedOver,
  isRemembered,
  keptFrom,
  outlivesRun,
  type TurnStart,
  wholeSummary,
} from './compaction.ts'
import {
  type ImagePart,
  readConversation,
  summaryItem,
  type TurnCall,
  type TurnItem,
} from './conversation.ts'
import { tokensOf } from './conversation-size.ts'

export type Memory = Awaited<ReturnType<typeof openMemory>>

export async function openMemory(
  { history }: Pick<AgentPlace, 'history'>,
  /** In tokens, read each time: of the instructions and tools of every request, and the size that is summarised. */
  limit: Readonly<{ overheadTokens: number; limitTokens: number }>,
) {
  const past = await readConversation(history.entries(), outlivesRun)
  const conversation = past.items
  let plan: readonly PlanItem[] = past.plan
  let starts: TurnStart[] = []
  const remembered = past.calls
  /** The provider's count of the first `length` items; null if it has counted none. */
  let counted: { tokens: number; length: number } | null = null

  const tokens = (): number =>
    counted
      ? counted.tokens + tokensOf(conversation.slice(counted.length))
      : limit.overheadTokens + tokensOf(conversation)

  function prompted(parts: readonly PromptPart[]): void {
    conversation.push({ type: 'user', parts: [...parts] })
  }

  /** `usage` is that of the request which the turn answers. */
  function answered(turn: TurnItem, usage: Answer['usage']): void {
    conversation.push(turn)
    const calls = turn.parts.filter((part) => part.type === 'call')
    remembered.push(...calls.filter(isRemembered))
    for (const { name, input, result } of calls)
      if (name === 'update_plan' && result?.outcome === 'ok') plan = planIn(input)
    if (usage?.inputTokens === undefined) return
    const results = calls.map(({ result }) => ({ ...emptyCall, result }))
    counted = {
      tokens:
        usage.inputTokens +
        (usage.outputTokens ?? 0) +
        tokensOf([{ type: 'turn', state: 'whole', parts: results }]),
      length: conversation.length,
    }
  }

  /** Returns null on success. `isTooLong`: the provider refused the whole conversation. */
  async function* compact(
    ask: ReturnType<typeof createAsk>,
    isTooLong: boolean,
  ): AsyncGenerator<AgentEvent, Cause | null> {
    const from = keptFrom(conversation, starts, limit.limitTokens)
    const replaced = from ? conversation.slice(0, from.index) : [...conversation]
    const kept = from ? conversation.slice(from.index) : []
    const made = yield* ask.summary(replaced, { isTooLong, limitTokens: limit.limitTokens })
    if (made.kind === 'failed') return made.cause
    const { prompts, notes } = carriedOver(conversation)
    const replacedPrompts = prompts.filter((prompt) => !kept.includes(prompt))
    const images = carriedImages(replacedPrompts, limit.limitTokens)
    const summary = wholeSummary(made.text, {
      plan,
      calls: remembered,
      prompts: replacedPrompts,
    })
    // Recorded before it is used: the event is durable when the generator continues.
    yield {
      type: 'compacted',
      summary,
      keptFromSeq: from?.seq ?? null,
      ...(images.length > 0 && { images: images.map(imageRefOf) }),
    }
    const replacedNotes = notes.filter((note) => !kept.includes(note))
    conversation.splice(
      ...[0, conversation.length, summaryItem(summary, images), ...kept, ...replacedNotes],
    )
    starts = from
      ? starts
          .filter(({ index }) => index >= from.index)
          .map(({ index, seq }) => ({ index: index - from.index + 1, seq }))
      : []
    counted = null
    return null
  }

  return {
    conversation,
    prompted,
    answered,
    compact,
    /** `seq` is the lowest that later entries can have. */
    turnBegins: (seq: number) => void starts.push({ index: conversation.length, seq }),
    /** `cramped`: full, and a summary would free too little. */
    fill(): 'room' | 'full' | 'cramped' {
      const { limitTokens } = limit
      if (tokens() < limitTokens) return 'room'
      const gained = tokensOf(conversation) - Math.min(summaryTokens, limitTokens * gainShare)
      return gained >= limitTokens * gainShare ? 'full' : 'cramped'
    },
  }
}

/** About the size of a summary. */
const summaryTokens = 2_000
/** Share of the limit. A summary that frees less would soon be followed by another, and each costs money. */
const gainShare = 0.1

const emptyCall = { type: 'call', callId: '' as TurnCall['callId'], name: '', input: '' } as const

const imageRefOf = ({ mediaType, sha256, bytes, data }: ImagePart): ImageRef => ({
  mediaType,
  sha256,
  bytes: bytes ?? data?.length ?? 0,
})

const planIn = (input: unknown): PlanItem[] => {
  const items = (input as { items?: unknown } | null)?.items
  return Array.isArray(items) ? (items as PlanItem[]) : []
}
