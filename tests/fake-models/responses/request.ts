/** Schema of the Responses request body. */
import { z } from 'zod'
import { cacheBreakpoint, cacheParameters } from '../openai-cache.ts'
import { refuseOpenaiShape } from '../openai-shape.ts'

const parts = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('input_text'), text: z.string(), ...cacheBreakpoint }),
    z.strictObject({
      type: z.literal('input_image'),
      image_url: z.string().optional(),
      file_id: z.string().optional(),
      detail: z.enum(['low', 'high', 'auto', 'original']).optional(),
      ...cacheBreakpoint,
    }),
    z.strictObject({
      type: z.literal('input_file'),
      file_id: z.string().optional(),
      file_url: z.string().optional(),
      filename: z.string().optional(),
      file_data: z.string().optional(),
      ...cacheBreakpoint,
    }),
    z.strictObject({
      type: z.literal('output_text'),
      text: z.string(),
      annotations: z.array(z.unknown()).optional(),
      logprobs: z.array(z.unknown()).nullish(),
    }),
    z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
  ]),
)
/** A string is shorthand for one text part. */
const content = z.preprocess(
  (value) => (typeof value === 'string' ? [{ type: 'input_text', text: value }] : value),
  parts,
)
const callId = z.string().min(1).max(64)
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish()

const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), parts]),
    id: z.string().optional(),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
    status,
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().optional(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.array(z.unknown()).nullish(),
    encrypted_content: z.string().nullish(),
    status,
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().optional(),
    call_id: callId,
    name: z.string(),
    namespace: z.string().optional(),
    arguments: z.string(),
    status,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: z.string().nullish(),
    call_id: callId,
    output: content,
    status,
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
  /** Tools for all that follows. */
  z.strictObject({
    type: z.literal('additional_tools'),
    id: z.string().optional(),
    role: z.literal('developer'),
    tools: z.array(z.looseObject({ type: z.string() })),
  }),
])

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
})

const responsesRequest = z.strictObject({
  model: z.string(),
  input: z.preprocess(
    (value) =>
      typeof value === 'string'
        ? [{ type: 'message', role: 'user', content: value }]
        : Array.isArray(value)
          ? value.map(withType)
          : value,
    z.array(item),
  ),
  instructions: z.string().nullish(),
  client_metadata: z.record(z.string(), z.string()).nullish(),
  include: z.array(z.string()).nullish(),
  max_output_tokens: z.number().int().min(16).nullish(),
  max_tool_calls: z.number().int().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  ...cacheParameters,
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      context: z.string().nullish(),
      mode: z.string().nullish(),
    })
    .nullish(),
  safety_identifier: z.string().optional(),
  service_tier: z.string().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().nullish(),
  text: z
    .strictObject({ format: z.unknown().optional(), verbosity: z.string().nullish() })
    .optional(),
  tool_choice: z.unknown().optional(),
  tools: z
    .array(
      z.discriminatedUnion('type', [
        functionTool,
        z.strictObject({
          type: z.literal('namespace'),
          name: z.string(),
          description: z.string(),
          tools: z.array(functionTool),
        }),
        z.strictObject({
          type: z.literal('web_search'),
          external_web_access: z.boolean().optional(),
        }),
      ]),
    )
    .optional(),
  top_logprobs: z.number().nullish(),
  top_p: z.number().nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().optional(),
})

export type ResponsesRequest = z.infer<typeof responsesRequest>
export type ResponsesItem = z.infer<typeof item>

/** `type` is optional for messages and references. */
function withType(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || 'type' in item) return item
  return { type: 'role' in item ? 'message' : 'item_reference', ...item }
}

/** Throws Refusal with the error message of the service. */
export function parseResponsesRequest(body: unknown): ResponsesRequest {
  const parsed = responsesRequest.safeParse(body)
  return parsed.success ? parsed.data : refuseOpenaiShape(parsed.error)
}
