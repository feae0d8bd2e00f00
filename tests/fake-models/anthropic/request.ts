/** Schema of the Messages request body. */
import { z } from 'zod'
import { refuse } from '../refusal.ts'

const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).optional(),
})
const cached = { cache_control: cacheControl.nullish() }
const source = z.looseObject({ type: z.enum(['base64', 'url', 'text', 'file']) })

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  ...cached,
})
const image = z.strictObject({ type: z.literal('image'), source, ...cached })
const document = z.strictObject({
  type: z.literal('document'),
  source,
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean() }).nullish(),
  ...cached,
})
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'")

/** A string is shorthand for one text block. */
const blocks = <T extends z.ZodType>(block: T) =>
  z.preprocess(
    (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    z.array(block),
  )

const block = z.discriminatedUnion('type', [
  text,
  image,
  document,
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: id,
    content: blocks(z.discriminatedUnion('type', [text, image, document])).optional(),
    is_error: z.boolean().optional(),
    ...cached,
  }),
  z.strictObject({
    type: z.literal('tool_use'),
    id,
    name: z.string().min(1).max(200),
    input: z.record(z.string(), z.unknown()),
    caller: z.unknown().optional(),
    ...cached,
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
])

const outputConfig = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  format: z.unknown().optional(),
  task_budget: z.unknown().optional(),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['user', 'assistant']), content: blocks(block) }),
  z.strictObject({
    role: z.literal('system'),
    content: blocks(text),
    output_config: outputConfig.optional(),
  }),
])

const messagesRequest = z.strictObject({
  model: z.string(),
  max_tokens: z.number().int().min(1),
  messages: z.array(message).min(1, 'at least one message is required'),
  system: blocks(text).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('custom').optional(),
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.record(z.string(), z.unknown()),
        eager_input_streaming: z.boolean().optional(),
        strict: z.boolean().optional(),
        defer_loading: z.boolean().optional(),
        input_examples: z.array(z.unknown()).optional(),
        ...cached,
      }),
    )
    .optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.enum(['auto', 'any']),
        disable_parallel_tool_use: z.boolean().optional(),
      }),
      z.strictObject({ type: z.literal('none') }),
      z.strictObject({
        type: z.literal('tool'),
        name: z.string(),
        disable_parallel_tool_use: z.boolean().optional(),
      }),
    ])
    .optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.number().int().min(1024) }),
      z.strictObject({
        type: z.literal('adaptive'),
        display: z.enum(['omitted', 'summarized', 'updates']).optional(),
      }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  output_config: outputConfig.optional(),
  context_management: z
    .strictObject({ edits: z.array(z.looseObject({ type: z.string() })) })
    .optional(),
  cache_control: cacheControl.nullish(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_k: z.number().int().optional(),
  top_p: z.number().optional(),
})

export type MessagesRequest = z.infer<typeof messagesRequest>
export type MessageBlock = z.infer<typeof block>

/** Throws Refusal with the error message of the service. */
export function parseMessagesRequest(body: unknown): MessagesRequest {
  const parsed = messagesRequest.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = (issue?.path ?? []).join('.')
  if (issue?.code === 'unrecognized_keys')
    return refuse(
      `${[path, issue.keys[0]].filter(Boolean).join('.')}: Extra inputs are not permitted`,
    )
  const isMissing = issue?.message.endsWith('received undefined')
  return refuse(`${path}: ${isMissing ? 'Field required' : issue?.message}`)
}
