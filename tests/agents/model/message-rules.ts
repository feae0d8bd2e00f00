/** What every provider refuses of a conversation, whatever its wire: tests of histories go by it. */
import type { ModelMessage } from 'ai'

/** Sentences, one for each breach; none for messages that every provider takes. */
export function breachesOf(messages: ModelMessage[]): string[] {
  const breaches: string[] = []
  const ids = new Set<string>()
  if (messages[0]?.role !== 'user') breaches.push('the first message is not the user’s')
  if (messages.at(-1)?.role === 'assistant') breaches.push('the assistant speaks last')
  for (const [index, { role, content }] of messages.entries()) {
    const next = messages[index + 1]
    if (next?.role === role) breaches.push(`two messages of the ${role} in a row`)
    if (typeof content === 'string') {
      breaches.push(`message ${index} is a bare text`)
      continue
    }
    if (content.length === 0) breaches.push(`message ${index} is empty`)
    if (role === 'assistant' && content.every(({ type }) => type === 'reasoning'))
      breaches.push(`message ${index} is nothing but reasoning`)
    for (const part of content) {
      if (part.type === 'text' && part.text.trim() === '')
        breaches.push(`message ${index} has a blank text`)
      if (part.type === 'reasoning' && !part.providerOptions)
        breaches.push(`message ${index} has reasoning that its provider does not know`)
      if (part.type !== 'tool-call') continue
      if (ids.has(part.toolCallId)) breaches.push(`the id ${part.toolCallId} comes twice`)
      ids.add(part.toolCallId)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(part.toolCallId))
        breaches.push(`the id ${part.toolCallId} is not well formed`)
      if (typeof part.input !== 'object' || part.input === null || Array.isArray(part.input))
        breaches.push(`the input of ${part.toolCallId} is no object`)
    }
    const called = idsIn(messages[index], 'tool-call')
    if (called.join() !== idsIn(next, 'tool-result').join())
      breaches.push(`the results after message ${index} are not those of its calls`)
    if (role === 'tool' && messages[index - 1]?.role !== 'assistant')
      breaches.push(`the results in message ${index} are of no call`)
  }
  return breaches
}

function idsIn(message: ModelMessage | undefined, type: 'tool-call' | 'tool-result'): string[] {
  if (!message || typeof message.content === 'string') return []
  return message.content.flatMap((part) =>
    part.type === type ? [(part as { toolCallId: string }).toolCallId] : [],
  )
}
