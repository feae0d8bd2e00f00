/** Converts a failed attempt at an answer into a cause for the record, and decides whether to retry (G7). */
import { APICallError, StreamProviderError } from 'ai'
import type { Cause } from '../../../shared/records/causes.ts'
import { explainNetworkError } from '../providers/explain-network-error.ts'

export interface AttemptFailure {
  cause: Cause
  /**
   * `never`: the next attempt would fail as well. `later`: the provider or the network is unavailable. `again`: the
   * answer was unusable; each attempt costs money.
   */
  retry: 'never' | 'later' | 'again'
  /** The delay that the provider requests; null if it requests none. */
  retryAfterMs: number | null
  /** What the provider refused: a request longer than the context, images, or showing its reasoning. */
  refused?: 'length' | 'images' | 'reasoning' | undefined
  /** Maximum number of retries, if less than `retry` allows. */
  retriesMax?: number
}

/** The failure of an unusable answer, whose request is repeated. */
export const incomplete = (detail: string): AttemptFailure => ({
  cause: { kind: 'network', detail },
  retry: 'again',
  retryAfterMs: null,
})

/** `error` was thrown by the SDK, or is from an `error` part of its stream. */
export function failureOf(error: unknown): AttemptFailure {
  const status = statusOf(error)
  const detail = detailOf(error, status)
  if (status === undefined) {
    const failure = withoutStatus(error, detail)
    return refusedOf(detail) === 'length'
      ? { ...failure, retry: 'never', refused: 'length' }
      : failure
  }
  const retryAfterMs = retryAfterOf(error)
  if (isBilling(error, status))
    return { cause: { kind: 'quota', untilMs: null, detail }, retry: 'never', retryAfterMs }
  if (status === 429)
    return { cause: { kind: 'quota', untilMs: null, detail }, retry: 'later', retryAfterMs }
  if (status === 401 || status === 403) {
    const refusal = `the provider refused access: ${detail}. Check its key in Settings › Models, or with shiplog agent setup`
    return { cause: { kind: 'sign-in', detail: refusal }, retry: 'never', retryAfterMs }
  }
  const isTransient = status >= 500 || status === 408 || status === 409
  const refused = isTransient ? undefined : refusedOf(`${detail} ${bodyOf(error)}`)
  const retry = isTransient ? 'later' : 'never'
  return { cause: { kind: 'refused', detail }, retry, retryAfterMs, refused }
}

/** Decided by the text, because providers have no common codes for these. */
function refusedOf(text: string): AttemptFailure['refused'] {
  if (
    /context_length_exceeded|prompt is too long|(?:maximum|exceeds? (?:the|this model's)).{0,40}(?:context|tokens)|input token count|context (?:window|size|length).{0,40}exceed|request too large/i.test(
      text,
    )
  )
    return 'length'
  // OpenAI shows summaries to verified organizations only; older models of others have nothing to show.
  if (
    /reasoning(?: |\.)summar|thinking_?config|include_?thoughts|thinking is not (?:enabled|supported)/i.test(
      text,
    )
  )
    return 'reasoning'
  return /image|vision|multi-?modal/i.test(text) ? 'images' : undefined
}

function withoutStatus(error: unknown, detail: string): AttemptFailure {
  // An error after the response began leaves an incomplete answer, whatever its cause.
  const isRequest = APICallError.isInstance(error) && error.responseHeaders === undefined
  return {
    cause: { kind: 'network', detail: isTerminated(error) ? 'it broke off in the answer' : detail },
    retry: isRequest ? 'later' : 'again',
    retryAfterMs: null,
  }
}

/** Node's fetch calls a socket that closes in the middle of a body `terminated`, which explains nothing. */
function isTerminated(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message === 'terminated' || isTerminated(error.cause)
}

function statusOf(error: unknown): number | undefined {
  if (APICallError.isInstance(error)) {
    // A status below 400 here means that the body was not an answer.
    return error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : undefined
  }
  if (StreamProviderError.isInstance(error)) return error.statusCode
  return undefined
}

/** Some messages contain a whole web page or request. */
const detailCharsMax = 400

function detailOf(error: unknown, status: number | undefined): string {
  const explained = status === undefined ? explainNetworkError(error) : undefined
  if (explained !== undefined) return explained
  const message = error instanceof Error ? error.message : textOf(error)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const text = [message, message.includes(cause) ? '' : cause].filter(Boolean).join(': ')
  const isPage = /<(?:!doctype|html)\b/i.test(text)
  const shown = isPage || text === '' ? 'the provider gave no reason' : text
  const cut = shown.length > detailCharsMax ? `${shown.slice(0, detailCharsMax - 1)}…` : shown
  return status === undefined ? cut : `${cut} (${status})`
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error
  const message = (error as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : (JSON.stringify(error) ?? '')
}

/** Reports whether the account has no money left, which waiting does not change. */
function isBilling(error: unknown, status: number): boolean {
  if (status === 402) return true
  return status === 429 && /insufficient_quota|billing|credit balance/i.test(bodyOf(error))
}

const bodyOf = (error: unknown): string =>
  APICallError.isInstance(error) ? (error.responseBody ?? '') : ''

function retryAfterOf(error: unknown): number | null {
  if (!APICallError.isInstance(error)) return null
  const headers = error.responseHeaders ?? {}
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (ms >= 0) return ms
  const after = headers['retry-after']
  if (after !== undefined) {
    const waitMs = /^[\d.]+$/.test(after.trim())
      ? Number.parseFloat(after) * 1000
      : Date.parse(after) - Date.now()
    if (Number.isFinite(waitMs)) return Math.max(0, waitMs)
  }
  // Google has it in the body: `"retryDelay": "30s"`.
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(bodyOf(error))?.[1]
  return delay === undefined ? null : Number.parseFloat(delay) * 1000
}
