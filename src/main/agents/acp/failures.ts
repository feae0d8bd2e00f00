/** Converts failures of an installed agent into causes for the record (G7). */
import { methods, RequestError } from '@agentclientprotocol/sdk/unstable'
import { messageOf } from '../../../shared/error-message.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import { counted } from '../../../shared/text/counted.ts'
import { isRecord, text } from './content.ts'
import { AgentGone, NoAnswer } from './process/connection.ts'

const authRequired = -32000

/** `name` is the agent's name for people, `signIn` the sentence that says how to sign in. */
export function causeOfError(error: unknown, agent: { name: string; signIn: string }): Cause {
  if (error instanceof AgentGone) return error.why
  // Only requests of the start have a limit of time.
  if (error instanceof NoAnswer) return neverStarted(agent, error)
  if (!(error instanceof RequestError)) return { kind: 'error', detail: messageOf(error) }
  const detail = detailOf(error)
  if (error.code === authRequired) return signedOut(agent, detail)
  const kind = isRecord(error.data) ? (text(error.data.errorKind) ?? '') : ''
  if (/auth|sign.?in|log.?in/i.test(kind) || /\b401\b|not (?:logged|signed) in/i.test(detail))
    return signedOut(agent, detail)
  if (/rate_?limit|quota|usage_?limit|billing/i.test(kind) || isQuota(detail))
    return { kind: 'quota', untilMs: null, detail: detail }
  if (/server_error|overloaded|timeout|network|connection/i.test(kind))
    return { kind: 'network', detail: detail }
  return { kind: 'refused', detail: detail }
}

const neverStarted = ({ name }: { name: string }, { method, timeoutMs }: NoAnswer): Cause => ({
  kind: 'not-started',
  step: 'run',
  detail: `${name} had not ${method === methods.agent.session.load ? 'loaded the conversation' : 'started'} after ${inWords(timeoutMs)}, and was ended (no answer to ${method}). Start it in a terminal to see what it waits for`,
})

const inWords = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1000)} s` : counted(Math.round(ms / 60_000), 'minute')

export const isMissingSession = (error: unknown): boolean =>
  error instanceof RequestError && error.code !== authRequired

const isQuota = (detail: string): boolean =>
  /usage limit|rate limit|quota|credit balance|\b429\b/i.test(detail)

const signedOut = (agent: { name: string; signIn: string }, detail: string): Cause => ({
  kind: 'sign-in',
  detail: `${agent.name} is not signed in (${detail.replace(/\.$/, '')}). ${agent.signIn}`,
})

/** Some messages contain a whole web page or request. */
const detailCharsMax = 400

function detailOf({ message, data }: RequestError): string {
  const details = isRecord(data)
    ? (text(data.details) ?? text(data.message) ?? text(data.error))
    : text(data)
  const generic = /^(?:internal error|authentication required|invalid params)\.?$/i.test(message)
  const detail =
    details && (generic || !message.includes(details)) ? `${message}: ${details}` : message
  return detail.length > detailCharsMax ? `${detail.slice(0, detailCharsMax - 1)}…` : detail
}

/** Returns the cause for a turn's stop reason; null if the turn ended normally. */
export function causeOfStop(stop: string): Cause | null {
  switch (stop) {
    case 'end_turn':
      return null
    case 'max_tokens':
      return { kind: 'refused', detail: 'the model’s answer reached its output limit' }
    case 'max_turn_requests':
      return { kind: 'refused', detail: 'the agent reached its limit of requests in one turn' }
    case 'refusal':
      return { kind: 'refused', detail: 'the model refused to continue' }
    default:
      return { kind: 'refused', detail: `the agent ended its turn: ${stop}` }
  }
}
