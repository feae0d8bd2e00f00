/** What the four wires have in common: each reads a request, refuses it or renders what the model answers. */
import type { ServiceError } from './errors.ts'
import type { IssuedRegistry } from './issued.ts'
import type { Model, ModelCatalogue } from './models.ts'
import type { PrefixCache } from './prefix-cache.ts'
import type { Part, Stop } from './script.ts'

export type Wire = 'anthropic' | 'responses' | 'chat' | 'google'

export interface WireContext {
  models: ModelCatalogue
  issued: IssuedRegistry
  cache: PrefixCache
}

/** A request that passed every check. */
export interface ReadRequest {
  model: Model
  stream: boolean
  /** The texts of the user's messages, oldest first: a conversation is found by a marker in them. */
  userTexts: string[]
  /** Renders an answer, and remembers what it issues. Called at most once. */
  render(answer: { parts: Part[]; stop: Stop | undefined; interleaved: boolean }): Rendered
}

export interface Rendered {
  /** Server-sent events in their order, with the blank line that ends each. */
  events: { text: string; isContent: boolean }[]
  /** The answer of a request that does not stream. */
  body: unknown
}

export interface WireDriver {
  /** Throws Refusal. `path` has the model where it is part of the address. */
  read(body: unknown, context: WireContext, path: { model: string; stream: boolean }): ReadRequest
  /** An error in a stream that began with 200. */
  errorEvent(error: ServiceError): string
  /** What a stream begins with before the service has looked at the request, where it begins so. */
  opening: string
  /** An event cut in its middle, with the blank line that ends it. */
  brokenEvent: string
}

/** Why a request is refused, as the real service would. */
export class Refusal extends Error {
  readonly status: number
  readonly details: { code?: string; param?: string; reason?: string }

  constructor(
    status: number,
    message: string,
    details: { code?: string; param?: string; reason?: string } = {},
  ) {
    super(message)
    this.status = status
    this.details = details
  }
}

export function refuse(
  message: string,
  details?: { code?: string; param?: string; reason?: string },
): never {
  throw new Refusal(400, message, details)
}

/** Splits a text as models stream it: in pieces, never inside a character. */
export function deltasOf(text: string): string[] {
  const pieces = Math.min(8, Math.max(1, Math.ceil(text.length / 12)))
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / pieces))
  const deltas: string[] = []
  for (let at = 0; at < characters.length; at += size)
    deltas.push(characters.slice(at, at + size).join(''))
  return deltas
}

/** Tokens of a text, by a fixed rate that tests can compute: four UTF-16 units each, rounded up. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}
