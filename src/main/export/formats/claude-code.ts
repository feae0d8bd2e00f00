/**
 * JSON Lines in the shape of Claude Code's session files, which several viewers open: one line per message, results of
 * calls as user messages, and sub-agents as side chains after their parent. Not a standard: it covers what the viewers
 * read.
 */
import { hash } from 'node:crypto'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type ExportRun, exportedChildren, redacted } from '../export-run.ts'
import { conversation, type Turn } from '../turns.ts'

export async function* claudeCode(run: ExportRun): AsyncGenerator<string> {
  const root = run.source.task(run.rootId)
  yield line({ type: 'summary', summary: redacted(run, root.title, root.id), leafUuid: root.id })
  yield* chain(run, root)
}

async function* chain(run: ExportRun, task: Task): AsyncGenerator<string> {
  run.result.tasks++
  const isSidechain = task.id !== run.rootId
  let parentUuid: string | null = null
  let place = { cwd: redacted(run, task.projectDir, task.id), gitBranch: '' }
  let timestamp = task.createdAt
  const message = (type: 'user' | 'assistant', uuid: string, content: object): string => {
    const written = line({
      ...{ parentUuid, isSidechain, userType: 'external', ...place },
      ...{ sessionId: run.rootId, version: run.version, type, message: content, uuid, timestamp },
      ...(isSidechain && { agentId: task.id.slice(0, 8) }),
    })
    parentUuid = uuid
    return written
  }
  for await (const part of conversation(run, task)) {
    if (part.kind === 'other') continue
    const { message: said } = part
    if (said) {
      timestamp = said.timestamp
      place = { cwd: said.cwd, gitBranch: said.gitBranch ?? '' }
    }
    if (part.kind === 'prompt') {
      const content = part.message.parts.flatMap((one) =>
        one.type === 'text' ? [{ type: 'text', text: one.text }] : [],
      )
      yield message('user', part.message.uuid, { role: 'user', content })
      continue
    }
    const uuid = said?.uuid ?? derivedUuid(`${task.id}${part.calls[0]?.call?.callId}`)
    yield message('assistant', uuid, {
      ...{ id: `msg_${uuid.replaceAll('-', '').slice(0, 24)}`, type: 'message', role: 'assistant' },
      model: said?.model ?? task.model ?? 'unknown',
      content: assistantContent(part),
      stop_reason: part.calls.length > 0 ? 'tool_use' : 'end_turn',
      usage: {
        input_tokens: said?.usage?.inputTokens ?? 0,
        output_tokens: said?.usage?.outputTokens ?? 0,
        cache_read_input_tokens: said?.usage?.cacheReadTokens ?? 0,
        cache_creation_input_tokens: said?.usage?.cacheWriteTokens ?? 0,
      },
    })
    const results = part.calls.flatMap(({ result }) => result ?? [])
    if (results.length > 0)
      yield message('user', derivedUuid(`${uuid}results`), {
        role: 'user',
        content: results.map(({ callId, output, outcome }) => ({
          ...{ type: 'tool_result', tool_use_id: callId, content: output },
          is_error: outcome !== 'ok',
        })),
      })
  }
  // A report needs no side chain: the result of the call contains it.
  if (run.request.children === 'inline')
    for (const child of exportedChildren(run, task.id)) yield* chain(run, child)
}

/** In the order of the message's parts; calls that the message does not name come last. */
function assistantContent({ message, calls }: Turn): object[] {
  const left = new Map(calls.flatMap(({ call }) => (call ? [[call.callId, call]] : [])))
  const content = (message?.parts ?? []).flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'reasoning') return [{ type: 'thinking', thinking: part.text, signature: '' }]
    if (part.type !== 'tool-call') return []
    const call = left.get(part.callId)
    left.delete(part.callId)
    return [{ type: 'tool_use', id: part.callId, name: part.name, input: call?.input ?? {} }]
  })
  for (const { callId, name, input } of left.values())
    content.push({ type: 'tool_use', id: callId, name, input })
  return content
}

/** A deterministic UUID, so that repeated exports are equal. */
function derivedUuid(of: string): string {
  const digits = hash('sha256', of)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

const line = (value: object): string => `${JSON.stringify(value)}\n`
