/** What "the model" says: given by the test for each conversation, one turn for each request. */
import type { Wire } from './wire.ts'

export type Part =
  | { type: 'text'; text: string }
  /** Anthropic can redact reasoning: then only an opaque block comes. */
  | { type: 'reasoning'; text: string; redacted?: boolean }
  /** `input` is a value, or a string that goes on the wire as it is, valid JSON or not. */
  | { type: 'call'; name: string; input: unknown; id?: string }

/** Why the model stops, where that is neither the end of its answer nor its calls. */
export type Stop = 'length' | 'refusal' | 'context-full'

/** What goes wrong in the middle of a stream. */
export interface Flaw {
  kind:
    | 'disconnect' // the socket is destroyed
    | 'truncated' // a clean end of the body, in the middle of an event
    | 'malformed' // one event is broken JSON, the stream goes on
    | 'error-event' // the service reports an error in the stream and ends it
    | 'silence' // nothing more comes until the client goes away
  /** After how many events with content. Half of them, and at least one, unless given. */
  after?: number
  /** What an `error-event` reports: that the service is overloaded, unless given. */
  error?: { status: number; message?: string; code?: string }
}

export interface Answer {
  parts: Part[]
  stop?: Stop
  /** Parallel calls stream at the same time, where the wire allows it (chat, responses). */
  interleaved?: boolean
  flaw?: Flaw
  /** Awaited before each event with content: a slow answer, at the pace of the test. */
  pace?: (event: number) => unknown
}

export type Failure =
  | {
      status: 400 | 401 | 402 | 403 | 404 | 408 | 409 | 413 | 429 | 500 | 502 | 503 | 504 | 529
      /** `{ ms }` is the header `retry-after-ms`, a Date and seconds are `retry-after`. Google puts seconds into the body. */
      retryAfter?: { seconds: number } | { ms: number } | { date: Date }
      message?: string
      /** OpenAI's `error.code`, such as `insufficient_quota`. */
      code?: string
      /** The error comes as the first event of a stream, after 200. */
      inStream?: boolean
      /** An HTML page of a proxy instead of the service's JSON. */
      html?: boolean
    }
  | { disconnect: 'before-headers' | 'before-first-event' }
  | { silence: 'before-headers' | 'before-first-event' }
  /** 200 with a page of HTML, as captive portals answer. */
  | { html: true }
  /** The service's own error of a prompt that is too long: 400, but an event after 200 on a stream of Responses. */
  | { promptTooLong: true }

export type Turn = Part[] | Answer | Failure

/** What a script that is a function sees. */
export interface ScriptRequest {
  wire: Wire
  model: string
  body: Record<string, unknown>
  /** The texts of the user's messages, oldest first. */
  userTexts: string[]
  /** How many requests of its conversation took a turn before it. */
  turn: number
}

export type ConversationScript = Turn[] | ((request: ScriptRequest) => Turn | Promise<Turn>)

/**
 * One script for all requests, or one for each conversation, by a marker in its first user message (where several
 * markers are in it, the first in the text counts). Each request takes the next turn, also a repeated one.
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

/** The name of a request's conversation, and its script; null where no script is meant for it. */
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
