/** Scripts: the model's answers to each conversation, one turn per request. */
import type { Wire } from './models.ts'

export type Part =
  | { type: 'text'; text: string }
  /** `redacted` sends an opaque block instead of the text (Anthropic only). */
  | { type: 'reasoning'; text: string; redacted?: boolean }
  /** A string `input` is sent as it is, even if it is invalid JSON. */
  | { type: 'call'; name: string; input: unknown; id?: string }

/** A stop reason other than the end of the answer or its tool calls. */
export type Stop = 'length' | 'refusal' | 'context-full'

/** A failure in the middle of a stream. */
interface Flaw {
  kind:
    | 'disconnect' // the socket is destroyed
    | 'truncated' // a clean end of the body, in the middle of an event
    | 'malformed' // one event is broken JSON, the stream goes on
    | 'error-event' // the service reports an error in the stream and ends it
    | 'silence' // no more data until the client disconnects
    | 'pings' // comments, which are no part of the answer, then the stream goes on
  /** Number of content events before it. Defaults to half of them, at least one. */
  after?: number
  /** Number of `pings`, one every 50 ms. Defaults to as many as the client waits for. */
  pings?: number
  /** The error of an `error-event`. Defaults to the overload error of the service. */
  error?: { status: number; message?: string; code?: string }
}

export interface Answer {
  parts: Part[]
  stop?: Stop
  /** Interleaves the deltas of parallel calls (chat and responses only). */
  interleaved?: boolean
  flaw?: Flaw
  /** Awaited before each content event, to slow the stream down. */
  pace?: (event: number) => unknown
}

export type Failure =
  | {
      status: 400 | 401 | 402 | 403 | 404 | 408 | 409 | 413 | 429 | 500 | 502 | 503 | 504 | 529
      /** `ms` is sent as `retry-after-ms`, `date` and `seconds` as `retry-after`; Google sends seconds in the body. */
      retryAfter?: { seconds: number } | { ms: number } | { date: Date }
      message?: string
      /** OpenAI's `error.code`, such as `insufficient_quota`. */
      code?: string
      /** Sends the error as the first stream event, after status 200. */
      inStream?: boolean
      /** An HTML page of a proxy instead of the service's JSON. */
      html?: boolean
    }
  | { disconnect: 'before-headers' | 'before-first-event' }
  | { silence: 'before-headers' | 'before-first-event' }
  /** 200 with a page of HTML, as captive portals answer. */
  | { html: true }
  /** The service's context window error: status 400, or a stream event after 200 on Responses. */
  | { promptTooLong: true }

export type Turn = Part[] | Answer | Failure

/** The argument of a function script. */
export interface ScriptRequest {
  wire: Wire
  model: string
  body: Record<string, unknown>
  /** Texts of the user messages, oldest first. */
  userTexts: string[]
  /** Number of earlier requests of the conversation that took a turn. */
  turn: number
}

type ConversationScript = Turn[] | ((request: ScriptRequest) => Turn | Promise<Turn>)

/**
 * One script for all requests, or one per conversation, keyed by a marker in its first user message. If a message
 * contains several markers, the first in the text wins. Each request takes the next turn, including retries.
 */
export type Script = ConversationScript | Record<string, ConversationScript>

export const say = (text: string): Part => ({ type: 'text', text })
export const think = (text: string, more: { redacted?: boolean } = {}): Part => ({
  type: 'reasoning',
  text,
  ...more,
})
export const call = (name: string, input: unknown, id?: string): Part => ({
  type: 'call',
  name,
  input,
  ...(id !== undefined && { id }),
})

/** The conversation of a request and its script; null if no marker matches. */
export function conversationOf(
  script: Script,
  userTexts: string[],
): { conversation: string; turns: ConversationScript } | null {
  if (Array.isArray(script) || typeof script === 'function')
    return { conversation: 'main', turns: script }
  for (const text of userTexts) {
    const [first] = Object.entries(script)
      .map(([marker, turns]) => ({ conversation: marker, turns, at: text.indexOf(marker) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || b.conversation.length - a.conversation.length)
    if (first) return { conversation: first.conversation, turns: first.turns }
  }
  return null
}

export const isFailure = (turn: Turn): turn is Failure => !Array.isArray(turn) && !('parts' in turn)
