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
  keptFrom,
  outlivesRun,
  type TurnStart,
  toRemember,
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
  {
    overheadTokens,
    limitTokens,
  }: {
    /** Tokens of the instructions and tools, which every request contains. */
    overheadTokens: () => number
    /** At which the conversation is summarised. */
    limitTokens: () => number
  },
) {
  const past = await readConversation(history.entries(), outlivesRun)
  const conversation = past.items
  let plan: readonly PlanItem[] = past.plan
  let starts: TurnStart[] = []
  const remembered = past.calls
  /** As the provider counted, up to an item of the conversation. */
  let counted: { tokens: number; length: number } | null = null

  const tokens = (): number =>
    counted
      ? counted.tokens + tokensOf(conversation.slice(counted.length))
      : overheadTokens() + tokensOf(conversation)

  function prompted(parts: readonly PromptPart[]): void {
    conversation.push({ type: 'user', parts: [...parts] })
  }

  /** `usage`: of the request that it answers. */
  function answered(turn: TurnItem, usage: Answer['usage']): void {
    conversation.push(turn)
    const calls = turn.parts.filter((part) => part.type === 'call')
    remembered.push(...calls.filter(toRemember))
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

  /** Null: done. `isTooLong`: the provider refused the conversation as it is. */
  async function* compact(
    ask: ReturnType<typeof createAsk>,
    isTooLong: boolean,
  ): AsyncGenerator<AgentEvent, Cause | null> {
    const from = keptFrom(conversation, starts, limitTokens())
    const replaced = from ? conversation.slice(0, from.index) : [...conversation]
    const kept = from ? conversation.slice(from.index) : []
    const made = yield* ask.summary(replaced, { isTooLong, limitTokens: limitTokens() })
    if (made.kind === 'failed') return made.cause
    const { prompts, notes } = carriedOver(conversation)
    const replacedPrompts = prompts.filter((prompt) => !kept.includes(prompt))
    const images = carriedImages(replacedPrompts, limitTokens())
    const summary = wholeSummary(made.text, {
      ...{ plan, calls: remembered, prompts: replacedPrompts },
    })
    // Durable before anything goes by it.
    yield {
      ...{ type: 'compacted', summary, keptFromSeq: from?.seq ?? null },
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
    /** `seq`: what is recorded from now on comes from there on. */
    turnBegins: (seq: number) => void starts.push({ index: conversation.length, seq }),
    /** `cramped`: full, and a summary would free too little. */
    fill(): 'room' | 'full' | 'cramped' {
      const limit = limitTokens()
      if (tokens() < limit) return 'room'
      const gained = tokensOf(conversation) - Math.min(summaryTokens, limit * gainShare)
      return gained >= limit * gainShare ? 'full' : 'cramped'
    },
  }
}

/** About what a summary takes. */
const summaryTokens = 2_000
/** Share of the limit: a summary that frees less would soon be followed by the next, and each costs money. */
const gainShare = 0.1

const emptyCall = { type: 'call', callId: '' as TurnCall['callId'], name: '', input: '' } as const

const imageRefOf = ({ mediaType, sha256, bytes, data }: ImagePart): ImageRef => ({
  ...{ mediaType, sha256, bytes: bytes ?? data?.length ?? 0 },
})

const planIn = (input: unknown): PlanItem[] => {
  const items = (input as { items?: unknown } | null)?.items
  return Array.isArray(items) ? (items as PlanItem[]) : []
}
