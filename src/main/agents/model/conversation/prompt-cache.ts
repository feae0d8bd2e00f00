/** Prompt caching of Anthropic: marks at the ends of the parts that do not change (tools, system, history). */
import type { ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import type { ModelProvider } from '../../../../shared/agents/model-refs.ts'

const marked = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

interface CachedPrompt {
  instructions: SystemModelMessage
  tools: ToolSet
  messages: ModelMessage[]
}

/**
 * Four marks at most. Of the history the last message has one, and the one before the last answer: what was written
 * for the request before is then read for this one. Other providers do without marks.
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
