/**
 * The shapes of traces of others, as they are published, written strictly: a field that they do not have is refused.
 * Compared with opentelemetry-proto (`trace.proto`, `common.proto`, `resource.proto` of v1, whose own parser of JSON
 * accepts the exports), semantic-conventions-genai at the commit that the exporter names, and `trace-record.json` of
 * cursor/agent-trace at 33e84942.
 */
import { z } from 'zod'

/** `opentelemetry/proto/trace/v1/trace.proto` in the JSON of OTLP: lowerCamelCase, ids in hex, 64-bit numbers as text. */
const uint64 = z.string().regex(/^(0|[1-9][0-9]*)$/)
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?[0-9]+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({
    arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }),
  }),
])
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: anyValue }))
  .refine(
    (all) => new Set(all.map(({ key }) => key)).size === all.length,
    'a key is there only once',
  )
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/)
const span = z
  .strictObject({
    traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
    spanId,
    parentSpanId: spanId.optional(),
    name: z.string().min(1),
    kind: z.number().int().min(1).max(5),
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    attributes,
    events: z
      .array(z.strictObject({ timeUnixNano: uint64, name: z.string().min(1), attributes }))
      .optional(),
    status: z
      .strictObject({ code: z.union([z.literal(1), z.literal(2)]), message: z.string().optional() })
      .optional(),
  })
  .refine(
    (one) => BigInt(one.endTimeUnixNano) >= BigInt(one.startTimeUnixNano),
    'it ends after it starts',
  )

export const otlpTraces = z
  .strictObject({
    resourceSpans: z
      .array(
        z.strictObject({
          resource: z.strictObject({ attributes }),
          scopeSpans: z.array(
            z.strictObject({
              scope: z.strictObject({ name: z.string(), version: z.string(), attributes }),
              spans: z.array(span).min(1),
            }),
          ),
        }),
      )
      .min(1),
  })
  .refine(
    ({ resourceSpans }) =>
      resourceSpans.every(({ scopeSpans }) =>
        scopeSpans.every(({ spans }) => {
          const ids = new Set(spans.map((one) => one.spanId))
          const isTree = spans.every((one) => !one.parentSpanId || ids.has(one.parentSpanId))
          return isTree && ids.size === spans.length
        }),
      ),
    'every span has an id of its own, and its parent is there',
  )

/** An attribute's value as one reads it. */
export const valuesOf = (all: z.infer<typeof attributes>): Record<string, unknown> =>
  Object.fromEntries(
    all.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value.intValue) : Object.values(value)[0],
    ]),
  )

/** What the conventions for generative AI require of a span, by its operation (docs/gen-ai/gen-ai-agent-spans.md). */
const token = z.number().int().min(0).optional()
const usage = {
  'gen_ai.usage.input_tokens': token,
  'gen_ai.usage.output_tokens': token,
  'gen_ai.usage.cache_read.input_tokens': token,
  'gen_ai.usage.cache_creation.input_tokens': token,
  'gen_ai.usage.reasoning.output_tokens': token,
}
const common = {
  'gen_ai.provider.name': z.string().min(1),
  'gen_ai.conversation.id': z.string(),
  'gen_ai.request.model': z.string().optional(),
  'error.type': z.string().optional(),
}
/** Attributes of Shiplog's own are in a name space of their own; of `gen_ai` only those of the conventions are there. */
const onlyTheirs = (known: string[]) => (all: Record<string, unknown>) =>
  Object.keys(all).every((key) => key.startsWith('shiplog.') || known.includes(key))
const strictly = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape).refine(onlyTheirs(Object.keys(shape)), 'no other name is made up')

export const genAiSpan = z.union([
  strictly({
    'gen_ai.operation.name': z.literal('invoke_agent'),
    'gen_ai.agent.id': z.string(),
    'gen_ai.agent.name': z.string(),
    ...common,
    ...usage,
  }),
  strictly({
    'gen_ai.operation.name': z.literal('chat'),
    'gen_ai.response.model': z.string().optional(),
    'gen_ai.response.finish_reasons': z.unknown().optional(),
    'gen_ai.input.messages': z.string().optional(),
    'gen_ai.output.messages': z.string().optional(),
    ...common,
    ...usage,
  }),
  strictly({
    'gen_ai.operation.name': z.literal('execute_tool'),
    'gen_ai.tool.name': z.string(),
    'gen_ai.tool.call.id': z.string(),
    'gen_ai.tool.type': z.enum(['function', 'extension', 'datastore']),
    'gen_ai.tool.call.arguments': z.string().optional(),
    'gen_ai.tool.call.result': z.string().optional(),
    'error.type': z.string().optional(),
  }),
])

/**
 * model/gen-ai/gen-ai-input-messages.json and gen-ai-output-messages.json, which allow more fields, and null for ids; of
 * the parts those that Shiplog has.
 */
const messagePart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), content: z.string() }),
  z.strictObject({ type: z.literal('reasoning'), content: z.string() }),
  z.strictObject({
    type: z.literal('tool_call'),
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
  }),
  z.strictObject({ type: z.literal('tool_call_response'), id: z.string(), response: z.unknown() }),
])
const role = z.enum(['system', 'user', 'assistant', 'tool'])
export const genAiInput = z.array(z.strictObject({ role, parts: z.array(messagePart) }))
export const genAiOutput = z.array(
  z.strictObject({
    role,
    parts: z.array(messagePart),
    finish_reason: z.enum(['stop', 'length', 'content_filter', 'tool_call', 'error']),
  }),
)

/** `schemas/trace-record.json` of cursor/agent-trace; its README asks for a version of three parts, the schema for two. */
const contributor = z.strictObject({
  type: z.enum(['human', 'ai', 'mixed', 'unknown']),
  model_id: z.string().max(250).optional(),
})
const line = z.number().int().min(1)
export const agentTraceRecord = z.strictObject({
  version: z.string().regex(/^[0-9]+\.[0-9]+(\.[0-9]+)?$/),
  id: z.uuid(),
  timestamp: z.iso.datetime(),
  vcs: z
    .strictObject({ type: z.enum(['git', 'jj', 'hg', 'svn']), revision: z.string() })
    .optional(),
  tool: z.strictObject({ name: z.string(), version: z.string() }).optional(),
  files: z.array(
    z.strictObject({
      path: z.string().regex(/^(?!\/)/),
      conversations: z.array(
        z.strictObject({
          url: z.url().optional(),
          contributor: contributor.optional(),
          ranges: z.array(
            z
              .strictObject({
                start_line: line,
                end_line: line,
                content_hash: z.string().optional(),
                contributor: contributor.optional(),
              })
              .refine(({ start_line, end_line }) => start_line <= end_line),
          ),
          related: z.array(z.strictObject({ type: z.string(), url: z.url() })).optional(),
        }),
      ),
    }),
  ),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
