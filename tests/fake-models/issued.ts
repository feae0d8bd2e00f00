/** Registry of issued tokens, items and call ids, used to verify them when clients send them back. */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { refuse } from './refusal.ts'

interface IssuedCall {
  name: string
  /** The input as sent, possibly invalid JSON. */
  input: string
  model: string
  /** Tokens of the reasoning blocks before the call. They must be sent back with it. */
  reasoning: string[]
}

export interface IssuedRegistry {
  /** Creates a random identifier with the given prefix. */
  newId(prefix: string): string
  /** Creates an opaque token for a text, starting with the prefix. */
  sign(text: string, prefix?: string): string
  /** The text of a token; undefined if the token was not issued here. */
  signed(token: string): string | undefined
  issueCall(id: string, call: IssuedCall): void
  call(id: string): IssuedCall | undefined
  /** Throws Refusal if a call issued here is sent back with another name or input. Unknown ids pass. */
  checkCall(id: string, name: string, input: unknown): void
  /** Throws Refusal if a call issued by the same model is sent back without the reasoning before it. */
  checkReasoning(id: string, model: string, tokens: string[]): void
  /** Items stored by the Responses API, by id. */
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

/** Undefined for invalid JSON. Clients may repair such an input in any way. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
