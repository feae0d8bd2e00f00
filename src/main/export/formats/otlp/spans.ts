/** Encodes spans as OTLP JSON: ids in hex, 64-bit numbers as decimal text, enumerations as numbers. */
import { createHash } from 'node:crypto'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Usage } from '../../../../shared/records/usage.ts'

type AttributeValue = string | number | readonly string[] | undefined
/** Undefined values are omitted. Numbers are integers, except costs. */
export type Attributes = Record<string, AttributeValue>

export interface SpanEvent {
  name: string
  ms: number
  attributes: Attributes
}

export interface Span {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: number
  startMs: number
  endMs: number
  attributes: Attributes
  events: SpanEvent[]
  /** The failure in a sentence; null: success. */
  error: string | null
}

export const spanKinds = { internal: 1, client: 3 }
const errorStatus = 2

/** A task id is 16 bytes, the size of a trace id. */
export const traceIdOf = (rootId: TaskId): string => rootId.replaceAll('-', '')

/** Deterministic, so that a repeated export adds no spans to a trace store. */
export const spanIdOf = (...of: string[]): string =>
  createHash('sha256').update(of.join('\0')).digest('hex').slice(0, 16)

export const spanText = (span: Span): string =>
  JSON.stringify({
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: attributesOf(span.attributes),
    ...(span.events.length > 0 && {
      events: span.events.map(({ name, ms, attributes }) => ({
        timeUnixNano: nanoseconds(ms),
        name,
        attributes: attributesOf(attributes),
      })),
    }),
    ...(span.error !== null && { status: { code: errorStatus, message: span.error } }),
  })

export const attributesOf = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )

/** As in `Usage`, input tokens include cached tokens and output tokens include reasoning. */
export function usageAttributes(usage: Usage | null | undefined): Attributes {
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return {}
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    ...(usage.costUsd !== null && { 'shiplog.usage.cost_usd': usage.costUsd }),
  }
}

function anyValue(value: NonNullable<AttributeValue>): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value !== 'number')
    return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } }
  return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value }
}

const nanoseconds = (ms: number): string => `${Math.max(0, Math.round(ms))}000000`
