/** Asks a model for its next answer, or for a summary of the conversation, with retries. */
import type { LanguageModelUsage, ToolSet } from 'ai'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentHost } from '../../../shared/agents/driver/agent-session.ts'
import type { ModelRef } from '../../../shared/agents/model-refs.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import {
  type Answer,
  type AnswerRequest,
  attemptAnswer,
  type StreamTimeouts,
  streamTimeouts,
} from './answer.ts'
import { conversationText, summaryInstructions, summaryWanted } from './conversation/compaction.ts'
import type { ConversationItem } from './conversation/conversation.ts'
import { messagesOf } from './conversation/messages.ts'
import { withCacheMarks } from './conversation/prompt-cache.ts'
import type { createShownImages } from './conversation/shown-images.ts'
import { type AttemptFailure, incomplete } from './failures.ts'
import { usageOf } from './pricing.ts'
import type { OpenedModel } from './providers.ts'
import { createRetryPolicy } from './retries.ts'

interface AskOptions {
  spec: ModelRef
  taskId: TaskId
  opened: OpenedModel
  instructions: string
  tools: ToolSet
  images: ReturnType<typeof createShownImages>
  signal: AbortSignal
  clock: () => number
  random: () => number
  delayFactor: number
  timeouts?: StreamTimeouts | undefined
  /** See `AgentHost.waitToRetry`. */
  waitToRetry: AgentHost['waitToRetry']
}

type Attempt =
  | { kind: 'answered'; answer: Answer }
  /** The conversation is longer than the model's context. */
  | { kind: 'too-long' }
  | { kind: 'failed'; cause: Cause }

export function createAsk(options: AskOptions) {
  const { spec, opened, instructions, tools, images, signal, clock } = options
  const { timeouts = streamTimeouts } = options
  const { model, target, onBytes } = opened
  const attemptOptions = { target, signal, timeouts, onBytes }
  let showsReasoning = true

  const providerOptions = () => requestOptions(spec, options.taskId, showsReasoning)

  async function requestFor(conversation: readonly ConversationItem[]): Promise<AnswerRequest> {
    const imageOf = await images.of(conversation)
    const prompt = {
      instructions: { role: 'system' as const, content: instructions },
      tools,
      messages: messagesOf(conversation, { target, imageOf }),
    }
    return { model, providerOptions: providerOptions(), ...withCacheMarks(prompt, spec.provider) }
  }

  const usageWithCost = (usage: LanguageModelUsage) => usageOf(usage, spec, { atMs: clock() })

  /** Requests the next answer. */
  async function* answer(
    conversation: readonly ConversationItem[],
  ): AsyncGenerator<AgentEvent, Attempt> {
    const retries = createRetryPolicy(options)
    for (;;) {
      const request = await requestFor(conversation)
      const attempt = yield* attemptAnswer(request, attemptOptions)
      if (attempt.kind === 'answered') return attempt
      if (attempt.usage?.inputTokens !== undefined)
        yield {
          type: 'usage',
          usage: {
            ...usageWithCost(attempt.usage),
            ...(!attempt.isUsageComplete && { complete: false }),
          },
          of: attempt.began ? 'turn' : 'run',
        }
      const { failure } = attempt
      if (failure.refused === 'length') return { kind: 'too-long' }
      if (failure.refused === 'images' && images.count > 0) {
        images.refuse()
        yield { type: 'retrying', cause: withoutImages(failure), untilMs: null }
        continue
      }
      if (isAboutReasoning(failure)) {
        yield { type: 'retrying', cause: withoutReasoning(failure), untilMs: null }
        continue
      }
      const cause = yield* waitAfter(failure, retries)
      if (cause) return { kind: 'failed', cause }
    }
  }

  /**
   * Requests a summary of the conversation. The request is appended to the conversation, which providers have cached. If
   * that is too long, the conversation is sent as a text, shorter with each attempt. `isTooLong`: the conversation was
   * refused already.
   */
  async function* summary(
    conversation: readonly ConversationItem[],
    { isTooLong, limitTokens }: { isTooLong: boolean; limitTokens: number },
  ): AsyncGenerator<
    AgentEvent,
    { kind: 'summary'; text: string } | { kind: 'failed'; cause: Cause }
  > {
    const retries = createRetryPolicy(options)
    const lengths = [limitTokens * 1.5, limitTokens * 0.5, shortestTextChars]
    let attempts = isTooLong ? 1 : 0
    for (;;) {
      const charsMax = attempts === 0 ? null : (lengths[attempts - 1] ?? null)
      if (attempts > lengths.length) return { kind: 'failed', cause: summaryTooLong }
      const request =
        charsMax === null
          ? await requestFor([...conversation, summaryRequest])
          : textRequest(conversation, charsMax)
      const { text, usage, failure } = await requestSummary(request)
      if (usage?.inputTokens !== undefined)
        yield { type: 'usage', usage: usageWithCost(usage), of: 'run' }
      if (failure === null) return { kind: 'summary', text }
      if (failure.refused === 'length') {
        attempts++
        yield { type: 'retrying', cause: failure.cause, untilMs: null }
        continue
      }
      // The model called tools or its answer was unusable: as a text, without tools, it can only write.
      if (failure.retry === 'again') attempts = Math.max(1, attempts)
      if (failure.refused === 'images' && images.count > 0) {
        images.refuse()
        continue
      }
      if (isAboutReasoning(failure)) continue
      const cause = yield* waitAfter(failure, retries)
      if (cause) return { kind: 'failed', cause }
    }
  }

  /** True once: reasoning is not requested after it was refused. */
  function isAboutReasoning({ refused }: AttemptFailure): boolean {
    const isFirst = refused === 'reasoning' && showsReasoning
    if (isFirst) showsReasoning = false
    return isFirst
  }

  function textRequest(conversation: readonly ConversationItem[], charsMax: number): AnswerRequest {
    const text = conversationText(conversation, { partCharsMax: charsMax / 8, charsMax })
    return {
      model,
      providerOptions: providerOptions(),
      instructions: summaryInstructions,
      messages: [{ role: 'user', content: `${text}\n\n${summaryWanted}` }],
    }
  }

  /** Yields no events, because a summary is not a turn. */
  async function requestSummary(
    request: AnswerRequest,
  ): Promise<{ text: string; usage: Answer['usage']; failure: AttemptFailure | null }> {
    const events = attemptAnswer(request, attemptOptions)
    for (;;) {
      const { done, value } = await events.next()
      if (!done) continue
      if (value.kind === 'failed') return { text: '', usage: value.usage, failure: value.failure }
      const { speech, usage, finishReason } = value.answer
      const text = speech
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('\n\n')
        .trim()
      const flaw =
        text === ''
          ? 'the model gave no summary'
          : finishReason === 'length'
            ? 'the summary was cut off'
            : null
      return { text, usage, failure: flaw === null ? null : incomplete(flaw) }
    }
  }

  /** Waits before the next attempt. Returns null when it may be made, or the cause if there is none. */
  async function* waitAfter(
    failure: AttemptFailure,
    retries: ReturnType<typeof createRetryPolicy>,
  ): AsyncGenerator<AgentEvent, Cause | null> {
    const { cause, delayMs } = retries.after(failure)
    if (delayMs === null) return cause
    yield { type: 'retrying', cause, untilMs: clock() + delayMs }
    await options.waitToRetry(delayMs, signal)
    return null
  }

  return { answer, summary }
}

const summaryRequest: ConversationItem = {
  type: 'user',
  parts: [{ type: 'text', text: summaryWanted }],
}

/** Fits into 8,000 tokens, the smallest useful context. */
const shortestTextChars = 16_000

const summaryTooLong: Cause = {
  kind: 'refused',
  detail:
    'the conversation no longer fits into the model’s context, and not even a summary could be made. Continue it with a model that takes more',
}

function withoutImages({ cause }: AttemptFailure): Cause {
  const detail = 'detail' in cause ? `: ${cause.detail}` : ''
  return { kind: 'refused', detail: `the model takes no images; it is asked without them${detail}` }
}

function withoutReasoning({ cause }: AttemptFailure): Cause {
  const detail = 'detail' in cause ? `: ${cause.detail}` : ''
  return {
    kind: 'refused',
    detail: `its reasoning is not shown; it is asked without a summary of that${detail}`,
  }
}

/** `showsReasoning` requests summaries of the reasoning from models that are known to give them. */
function requestOptions(
  { provider, model }: ModelRef,
  taskId: TaskId,
  showsReasoning: boolean,
): NonNullable<AnswerRequest['providerOptions']> {
  // Items in the server's store expire, so a resume weeks later would refer to missing ones. The SDK requests summaries
  // only from models that it knows to reason.
  if (provider === 'openai')
    return {
      openai: {
        store: false,
        promptCacheKey: taskId,
        ...(showsReasoning && { reasoningSummary: 'auto' }),
      },
    }
  if (!showsReasoning) return {}
  if (provider === 'google' && /^gemini-(?:2\.5|[3-9])(?!.*(?:image|tts|live))/.test(model))
    return { google: { thinkingConfig: { includeThoughts: true } } }
  // Models with adaptive thinking hide it unless it is requested. Older ones refuse the request.
  if (provider === 'anthropic' && /^claude-[a-z]+-(?:[5-9]|4-[6-9]|\d\d)(?:-|$)/.test(model))
    return { anthropic: { thinking: { type: 'adaptive', display: 'summarized' } } }
  return {}
}
