/** The interface of the four wires: parse and check a request, then render an answer. */
import type { ServiceError } from './errors.ts'
import type { IssuedRegistry } from './issued.ts'
import type { Model, ModelCatalogue } from './models.ts'
import type { PrefixCache } from './prefix-cache.ts'
import type { Part, Stop } from './script.ts'

export interface WireContext {
  models: ModelCatalogue
  issued: IssuedRegistry
  cache: PrefixCache
}

/** A request that passed all checks. */
interface ReadRequest {
  model: Model
  stream: boolean
  /** Texts of the user messages, oldest first. They contain the marker of the conversation. */
  userTexts: string[]
  /** Renders an answer and registers what it issues. Called at most once. */
  render(answer: { parts: Part[]; stop: Stop | undefined; interleaved: boolean }): Rendered
}

export interface Rendered {
  /** Server-sent events in order, each including its terminating blank line. */
  events: { text: string; isContent: boolean }[]
  /** The response to a request without streaming. */
  body: unknown
}

export interface WireDriver {
  /**
   * Throws Refusal. `model` and `stream` are those of the URL, for wires that put them there; `betas` are the
   * beta features that a header of the request asks for.
   */
  read(
    body: unknown,
    context: WireContext,
    request: { model: string; stream: boolean; betas: readonly string[] },
  ): ReadRequest
  /** An error event within a stream. */
  errorEvent(error: ServiceError): string
  /** Events sent before the service validates the prompt; empty for most services. */
  opening: string
  /** An event with truncated JSON, including its terminating blank line. */
  brokenEvent: string
}
