/**
 * Messages as `gen_ai.input.messages` and `gen_ai.output.messages` hold them. Spans have them as JSON text, because most
 * stores of traces keep no nested attributes. The input is only what came after the turn before: the whole history
 * in every span would grow with the square of the turns.
 */
import type { MessageEntry } from '../../../../shared/records/entry-types/messages.ts'
import { type Turn, textOf } from '../../turns.ts'

export interface Message {
  role: 'user' | 'assistant' | 'tool'
  parts: object[]
}

/** A prompt, or the results that a turn's calls gave. */
export function inputMessages(of: MessageEntry | Turn): Message[] {
  if ('role' in of)
    return [{ role: 'user', parts: [{ type: 'text', content: textOf(of, 'text') }] }]
  const results = of.calls.flatMap(({ result }) => result ?? [])
  if (results.length === 0) return []
  const parts = results.map(({ callId, output }) => ({
    type: 'tool_call_response',
    id: callId,
    response: output,
  }))
  return [{ role: 'tool', parts }]
}

export function outputMessages({ message, calls }: Turn): Message & { finish_reason: string } {
  const reasoning = message ? textOf(message, 'reasoning') : ''
  const text = message ? textOf(message, 'text') : ''
  return {
    role: 'assistant',
    parts: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text', content: text }]),
      ...calls.flatMap(({ call }) =>
        call
          ? [{ type: 'tool_call', id: call.callId, name: call.name, arguments: call.input }]
          : [],
      ),
    ],
    finish_reason:
      message?.status === 'complete' ? (calls.length > 0 ? 'tool_call' : 'stop') : 'error',
  }
}
