/** What the fake issued, to be verified when it comes back: opaque tokens, items and the ids of calls. */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { refuse } from './wire.ts'

export interface IssuedCall {
  name: string
  /** The input as it went on the wire. */
  input: string
  model: string
  /** The tokens of the reasoning that led to it, which must come back with it. */
  reasoning: string[]
}

export interface IssuedRegistry {
  /** A new random identifier: the prefix, then letters and digits. */
  newId(prefix: string): string
  /** A new opaque token that stands for a text; it begins with the prefix. */
  sign(text: string, prefix?: string): string
  /** The text that a token stands for; undefined for one that was never issued here. */
  signed(token: string): string | undefined
  issueCall(id: string, call: IssuedCall): void
  call(id: string): IssuedCall | undefined
  /** Refuses a call of the fake that comes back with another name or input. Calls from elsewhere pass. */
  checkCall(id: string, name: string, input: unknown): void
  /** Refuses a call of the same model that comes back, in an unfinished turn, without the reasoning that led to it. */
  checkReasoning(id: string, model: string, tokens: string[]): void
  /** Items that the Responses API stores, by id. */
  store(id: string, item: Record<string, unknown>): void
  stored(id: string): Record<string, unknown> | undefined
}

export function createIssuedRegistry(): IssuedRegistry {
  const tokens = new Map<string, string>()
  const calls = new Map<string, IssuedCall>()
  const items = new Map<string, Record<string, unknown>>()
  return {
    newId: (prefix) => prefix + randomBytes(12).toString('hex'),
    sign(text, prefix = '') {
      const token = prefix + randomBytes(48).toString('base64')
      tokens.set(token, text)
      return token
    },
    signed: (token) => tokens.get(token),
    issueCall: (id, call) => void calls.set(id, call),
    call: (id) => calls.get(id),
    checkCall(id, name, input) {
      const issued = calls.get(id)
      if (!issued) return
      if (issued.name !== name)
        refuse(`[fake] call ${id} was issued as ${issued.name} and came back as ${name}`)
      const value = parseJson(issued.input)
      if (value !== undefined && !isDeepStrictEqual(value, input))
        refuse(`[fake] the input of call ${id} is not the one that was issued: ${issued.input}`)
    },
    checkReasoning(id, model, tokens) {
      const issued = calls.get(id)
      if (issued?.model !== model) return
      if (issued.reasoning.some((token) => !tokens.includes(token)))
        refuse(`[fake] call ${id} came back without the reasoning that led to it`)
    },
    store: (id, item) => void items.set(id, item),
    stored: (id) => items.get(id),
  }
}

/** undefined for what is no JSON: such an input may come back in any form. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
