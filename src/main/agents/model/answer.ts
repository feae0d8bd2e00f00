/** One attempt at one answer of a model: its stream as events, and the result. */
import { streamText, type TextStreamPart, type ToolSet } from 'ai'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { TurnPart } from './conversation/conversation.ts'
import { type MessageTarget, writeData } from './conversation/messages.ts'
import { type AttemptFailure, failureOf, incomplete } from './failures.ts'

type StreamOptions = Parameters<typeof streamText>[0]

/** What a request is made of; the rest is the same for all. */
export type AnswerRequest = Pick<
  StreamOptions,
  'model' | 'instructions' | 'messages' | 'tools' | 'providerOptions'
>

/**
 * How long a stream may be silent. Models that think may say nothing for minutes, in which some services send pings:
 * these show that the connection is alive, and not that an answer comes.
 */
export interface StreamTimeouts {
  /** Until the first byte. */
  firstChunkMs: number
  /** Without a byte. */
  chunkMs: number
  /** Without any of the answer. */
  answerMs: number
}
export const streamTimeouts: StreamTimeouts = {
  firstChunkMs: 300_000,
  chunkMs: 180_000,
  answerMs: 15 * 60_000,
}

type StreamPart = TextStreamPart<ToolSet>
type FinishedStep = Extract<StreamPart, { type: 'finish-step' }>

interface AskedCall {
  id: string
  name: string
  /** A string if it is not JSON. */
  input: unknown
  providerData: ReturnType<typeof writeData>
}

export interface Answer {
  /** In their order, without calls. */
  speech: Exclude<TurnPart, { type: 'call' }>[]
  calls: AskedCall[]
  finishReason: FinishedStep['finishReason']
  /** In the provider's own word, where it gave one. */
  stop: string
  usage: FinishedStep['usage'] | undefined
  /** That answered, as the provider names it. */
  model: string
}

type Attempt =
  | { kind: 'answered'; answer: Answer }
  /** `began`: content was received. `usage`: as reported so far; `isOver`: the stream had ended, so it is complete. */
  | {
      kind: 'failed'
      failure: AttemptFailure
      began: boolean
      usage: Answer['usage']
      isOver: boolean
    }

/**
 * Asks once. `turn-started` comes with the first of its content, so a request that is refused begins no turn. Rejects
 * with the signal's reason when that is aborted, and with nothing else.
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
    /** Calls back with each piece that the service sends, until it is called off. */
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
  const watch = createWatch(timeouts)
  const callOff = onBytes(watch.alive)
  try {
    signal.throwIfAborted()
    const { stream } = streamText({
      ...(request as StreamOptions),
      // Visible retries are the session's.
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, watch.signal]),
      onError: () => undefined,
    })
    for await (const part of stream) {
      signal.throwIfAborted()
      if (contentTypes.has(part.type)) watch.answered()
      if (!began && contentTypes.has(part.type)) {
        began = true
        yield { type: 'turn-started' }
      }
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          open.set(keyOf(part), { kind: kindOf(part), text: '', metadata: part.providerMetadata })
          break
        case 'text-delta':
        case 'reasoning-delta':
          yield* grow(open, part)
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
    for (const key of [...open.keys()]) yield* end(key, undefined)
  } catch (error) {
    signal.throwIfAborted()
    failure ??= watch.signal.aborted ? stalled : failureOf(error)
  } finally {
    callOff()
    watch.end()
  }
  signal.throwIfAborted()
  failure ??= isFinished ? flawOf(answer) : incomplete('the answer ended in the middle')
  return failure
    ? {
        kind: 'failed',
        failure,
        began,
        usage: answer.usage,
        isOver: wholeEnds.has(answer.finishReason),
      }
    : { kind: 'answered', answer }

  function* end(key: string, metadata: Speech['metadata']): Generator<AgentEvent> {
    const speech = open.get(key)
    if (!speech) return
    open.delete(key)
    const { kind, text } = speech
    const options = metadata ?? speech.metadata
    const providerData = writeData(target, options, kind === 'reasoning' ? text : undefined)
    answer.speech.push({ type: kind, text, providerData })
    // Reasoning may be hidden: then nothing is left of it but what its provider wants back.
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

function* grow(
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
function createWatch({ firstChunkMs, chunkMs, answerMs }: StreamTimeouts) {
  const silent = new AbortController()
  const giveUp = () => silent.abort(new Error('The model stopped answering.'))
  let connection = setTimeout(giveUp, firstChunkMs)
  let answer = setTimeout(giveUp, answerMs)
  const alive = () => {
    clearTimeout(connection)
    connection = setTimeout(giveUp, chunkMs)
  }
  return {
    signal: silent.signal,
    alive,
    answered() {
      alive()
      clearTimeout(answer)
      answer = setTimeout(giveUp, answerMs)
    },
    end() {
      clearTimeout(connection)
      clearTimeout(answer)
    },
  }
}

const wholeEnds = new Set<Answer['finishReason']>([
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

/** Why an answer that ended can't be used as it is; null: it can. */
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
