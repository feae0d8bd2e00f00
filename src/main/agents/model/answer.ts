/** Makes one attempt at an answer of a model, and converts its stream to events. */
import { streamText, type TextStreamPart, type ToolSet } from 'ai'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { TurnPart } from './conversation/conversation.ts'
import { type MessageTarget, writeData } from './conversation/messages.ts'
import { type AttemptFailure, failureOf, incomplete } from './failures.ts'

type StreamOptions = Parameters<typeof streamText>[0]

/** The parts of a request that differ between requests. */
export type AnswerRequest = Pick<
  StreamOptions,
  'model' | 'instructions' | 'messages' | 'tools' | 'providerOptions'
>

/**
 * How long a stream may be silent. Models may think for minutes, during which some services send pings: these prove that
 * the connection works, not that an answer will come.
 */
export interface StreamTimeouts {
  /** Time until the first byte. */
  firstChunkMs: number
  /** Time between bytes. */
  chunkMs: number
  /** Time between parts of the answer. */
  answerMs: number
}
export const streamTimeouts: StreamTimeouts = {
  firstChunkMs: 300_000,
  chunkMs: 180_000,
  answerMs: 15 * 60_000,
}

type StreamPart = TextStreamPart<ToolSet>
type FinishedStep = Extract<StreamPart, { type: 'finish-step' }>

interface RequestedCall {
  id: string
  name: string
  /** A string if it is not JSON. */
  input: unknown
  providerData: ReturnType<typeof writeData>
}

export interface Answer {
  /** The parts in order, without calls. */
  speech: Exclude<TurnPart, { type: 'call' }>[]
  calls: RequestedCall[]
  finishReason: FinishedStep['finishReason']
  /** The provider's own word for `finishReason`, if it sent one. */
  stop: string
  usage: FinishedStep['usage'] | undefined
  /** The model that answered, by the provider's name. */
  model: string
}

type Attempt =
  | { kind: 'answered'; answer: Answer }
  /** `began`: content was received. `usage` as reported so far; `isUsageComplete`: the stream had ended. */
  | {
      kind: 'failed'
      failure: AttemptFailure
      began: boolean
      usage: Answer['usage']
      isUsageComplete: boolean
    }

/**
 * Sends the request once. `turn-started` is yielded with the first content, so a refused request begins no turn. Rejects
 * only with the signal's reason when it is aborted.
 */
export async function* attemptAnswer(
  request: AnswerRequest,
  {
    target,
    signal,
    timeouts,
    onBytes,
  }: {
    target: MessageTarget
    signal: AbortSignal
    timeouts: StreamTimeouts
    /** Calls the listener for each piece that the service sends. Returns a function that unsubscribes it. */
    onBytes: (listener: () => void) => () => void
  },
): AsyncGenerator<AgentEvent, Attempt> {
  const answer: Answer = {
    speech: [],
    calls: [],
    finishReason: 'other',
    stop: '',
    usage: undefined,
    model: target.model,
  }
  const open = new Map<string, Speech>()
  let began = false
  let failure: AttemptFailure | null = null
  let isFinished = false
  const watchdog = createWatchdog(timeouts)
  const unsubscribe = onBytes(watchdog.alive)
  try {
    signal.throwIfAborted()
    const { stream } = streamText({
      ...(request as StreamOptions),
      // The session retries, and records each retry.
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, watchdog.signal]),
      onError: () => undefined,
    })
    for await (const part of stream) {
      signal.throwIfAborted()
      if (contentTypes.has(part.type)) watchdog.answered()
      if (!began && contentTypes.has(part.type)) {
        began = true
        yield { type: 'turn-started' }
      }
      yield* read(part)
    }
    for (const key of [...open.keys()]) yield* end(key, undefined)
  } catch (error) {
    signal.throwIfAborted()
    failure ??= watchdog.signal.aborted ? stalled : failureOf(error)
  } finally {
    unsubscribe()
    watchdog.end()
  }
  signal.throwIfAborted()
  failure ??= isFinished ? flawOf(answer) : incomplete('the answer ended in the middle')
  return failure
    ? {
        kind: 'failed',
        failure,
        began,
        usage: answer.usage,
        isUsageComplete: completeFinishReasons.has(answer.finishReason),
      }
    : { kind: 'answered', answer }

  /** Adds a part of the stream to the answer. */
  function* read(part: StreamPart): Generator<AgentEvent> {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        open.set(keyOf(part), { kind: kindOf(part), text: '', metadata: part.providerMetadata })
        break
      case 'text-delta':
      case 'reasoning-delta':
        yield* appendDelta(open, part)
        break
      case 'text-end':
      case 'reasoning-end':
        yield* end(keyOf(part), part.providerMetadata)
        break
      case 'tool-call':
        answer.calls.push({
          id: part.toolCallId,
          name: part.toolName,
          input: part.input,
          providerData: writeData(target, part.providerMetadata),
        })
        break
      case 'finish-step':
        isFinished = true
        answer.finishReason = part.finishReason
        answer.stop = part.rawFinishReason ?? part.finishReason
        answer.usage = part.usage
        answer.model = part.response.modelId || target.model
        break
      case 'error':
        // The stream continues after a malformed event, so the rest of the answer lacks that part.
        failure ??= failureOf(part.error)
        break
      case 'abort':
        failure ??= stalled
        break
      default:
        break
    }
  }

  function* end(key: string, metadata: Speech['metadata']): Generator<AgentEvent> {
    const speech = open.get(key)
    if (!speech) return
    open.delete(key)
    const { kind, text } = speech
    const options = metadata ?? speech.metadata
    const providerData = writeData(target, options, kind === 'reasoning' ? text : undefined)
    answer.speech.push({ type: kind, text, providerData })
    // Reasoning may be hidden: only the provider's data remains, which must be sent back.
    if (text === '' && providerData) yield { type: 'part-started', part: key, kind, providerData }
    yield { type: 'part-ended', part: key, ...(providerData && { providerData }) }
  }
}

interface Speech {
  kind: 'text' | 'reasoning'
  text: string
  /** The provider's data of its start, a delta or its end; the last one is complete. */
  metadata: Extract<StreamPart, { type: 'text-start' }>['providerMetadata']
}

type Spoken = Extract<StreamPart, { type: `${'text' | 'reasoning'}-${string}`; id: string }>

const kindOf = ({ type }: Spoken): Speech['kind'] =>
  type.startsWith('text') ? 'text' : 'reasoning'
/** Providers number their parts by kind. */
const keyOf = (part: Spoken): string => `${kindOf(part)}-${part.id}`.slice(0, 200)

function* appendDelta(
  open: Map<string, Speech>,
  part: Extract<StreamPart, { type: 'text-delta' | 'reasoning-delta' }>,
): Generator<AgentEvent> {
  const key = keyOf(part)
  const speech = open.get(key) ?? { kind: kindOf(part), text: '', metadata: undefined }
  open.set(key, speech)
  speech.text += part.text
  speech.metadata = part.providerMetadata ?? speech.metadata
  if (part.text !== '') yield { type: 'part-delta', part: key, kind: speech.kind, text: part.text }
}

/** Each stalled attempt costs minutes, and a model that stalls twice usually stalls again. */
const stalledRetriesMax = 1
const stalled: AttemptFailure = {
  ...incomplete('the model stopped answering'),
  retriesMax: stalledRetriesMax,
}

/** Aborts a stream that is silent for too long. The SDK's own limit does not count the wait for the response. */
function createWatchdog({ firstChunkMs, chunkMs, answerMs }: StreamTimeouts) {
  const silent = new AbortController()
  const abortStream = () => silent.abort(new Error('The model stopped answering.'))
  let connection = setTimeout(abortStream, firstChunkMs)
  let answer = setTimeout(abortStream, answerMs)
  const alive = () => {
    clearTimeout(connection)
    connection = setTimeout(abortStream, chunkMs)
  }
  return {
    signal: silent.signal,
    alive,
    answered() {
      alive()
      clearTimeout(answer)
      answer = setTimeout(abortStream, answerMs)
    },
    end() {
      clearTimeout(connection)
      clearTimeout(answer)
    },
  }
}

const completeFinishReasons = new Set<Answer['finishReason']>([
  ...(['stop', 'length', 'tool-calls', 'content-filter'] as const),
])

const contentTypes = new Set<StreamPart['type']>([
  'text-start',
  'text-delta',
  'reasoning-start',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
])

/** Returns why an answer that ended can't be used; null if it can. */
function flawOf({ finishReason, stop, speech, calls }: Answer): AttemptFailure | null {
  if (calls.length > 0 && (finishReason === 'tool-calls' || finishReason === 'stop')) return null
  const hasText = speech.some(({ type, text }) => type === 'text' && text.trim() !== '')
  switch (finishReason) {
    case 'stop':
      return hasText ? null : incomplete('the answer was empty')
    case 'length':
    case 'content-filter':
      return null
    default:
      return incomplete(`the answer broke off (${stop})`)
  }
}
