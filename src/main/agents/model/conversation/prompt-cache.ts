/** Marks a prompt for Anthropic's prompt cache, at the ends of the unchanging parts: tools, system prompt, history. */
import type { ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import type { ModelProvider } from '../../../../shared/agents/model-refs.ts'

const marked = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

interface CachedPrompt {
  instructions: SystemModelMessage
  tools: ToolSet
  messages: ModelMessage[]
}

/**
 * Sets at most four marks, the provider's limit. In the history the last message gets one, and the message before the
 * last answer, which was the last of the previous request and is read from the cache now. Others need no marks.
 */
export function withCacheMarks(prompt: CachedPrompt, provider: ModelProvider): CachedPrompt {
  if (provider !== 'anthropic') return prompt
  const { instructions, tools, messages } = prompt
  const lastTool = Object.keys(tools).at(-1)
  const last = messages.length - 1
  const before = messages.findLastIndex(({ role }, index) => index < last && role !== 'assistant')
  return {
    instructions: { ...instructions, providerOptions: marked },
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [
        name,
        name === lastTool ? { ...tool, providerOptions: marked } : tool,
      ]),
    ),
    messages: messages.map((message, index) =>
      index === last || index === before
        ? { ...message, providerOptions: { ...message.providerOptions, ...marked } }
        : message,
    ),
  }
}
