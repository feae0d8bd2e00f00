/**
 * Messages for `gen_ai.input.messages` and `gen_ai.output.messages`, encoded as JSON text because most trace stores do
 * not support nested attributes. The input contains only the messages since the previous turn: the whole history in
 * every span would grow quadratically.
 */
import type { MessageEntry } from '../../../../shared/records/entry-types/messages.ts'
import { type Turn, textOf } from '../../turns.ts'

export interface Message {
  role: 'user' | 'assistant' | 'tool'
  parts: object[]
}

/** Converts a prompt, or the results of a turn's calls. */
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
