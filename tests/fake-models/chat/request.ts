/** Schema of the Chat Completions request body. */
import { z } from 'zod'
import { cacheBreakpoint, cacheParameters } from '../openai-cache.ts'
import { refuseOpenaiShape } from '../openai-shape.ts'

const textPart = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  ...cacheBreakpoint,
})
const userPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string(), detail: z.string().optional() }),
  }),
  z.strictObject({ type: z.literal('file'), file: z.record(z.string(), z.unknown()) }),
])
const texts = z.union([z.string(), z.array(textPart)])

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: texts }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart)]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: texts.nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          type: z.literal('function'),
          function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
        }),
      )
      .optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: texts }),
])

const chatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  seed: z.number().int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  user: z.string().optional(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  verbosity: z.string().nullish(),
  response_format: z.unknown().optional(),
  /** vLLM's own. */
  chat_template_kwargs: z.record(z.string(), z.unknown()).optional(),
  parallel_tool_calls: z.boolean().optional(),
  ...cacheParameters,
  safety_identifier: z.string().optional(),
  service_tier: z.string().optional(),
  tool_choice: z.unknown().optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .optional(),
})

export type ChatRequest = z.infer<typeof chatRequest>
export type ChatMessage = z.infer<typeof message>

/** Throws Refusal with the error message of the service. */
export function parseChatRequest(body: unknown): ChatRequest {
  const parsed = chatRequest.safeParse(body)
  return parsed.success ? parsed.data : refuseOpenaiShape(parsed.error)
}

/** The text of message content. */
export function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => ('text' in part ? part.text : '')).join('\n')
}
