/**
 * JSON Lines in the shape of Claude Code's session files, which several viewers open: one line per message, each result
 * of a call as a user message, and sub-agents as side chains after their parent. Not a standard: it covers what the
 * viewers read.
 */
import { hash } from 'node:crypto'
import type { ImageRef } from '../../../../shared/agents/agent-records.ts'
import { imageKindOf } from '../../../../shared/agents/image-kind.ts'
import type { MessageEntry } from '../../../../shared/records/entry-types/messages.ts'
import type { ToolResultEntry } from '../../../../shared/records/entry-types/tool-calls.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import type { Usage } from '../../../../shared/records/usage.ts'
import { type ExportRun, exportedChildren, redacted } from '../../export-run.ts'
import { conversation, type Turn } from '../../turns.ts'
import { agentIdOf, detailOf, toolUse, toolUseResult } from './tool-calls.ts'

export async function* claudeCode(run: ExportRun): AsyncGenerator<string> {
  const root = run.source.task(run.rootId)
  yield line({ type: 'summary', summary: redacted(run, root.title, root.id), leafUuid: root.id })
  yield* chain(run, root)
}

async function* chain(run: ExportRun, task: Task): AsyncGenerator<string> {
  run.result.tasks++
  const isSidechain = task.id !== run.rootId
  // A report needs no side chain: the result of the call contains it.
  const children = run.request.children === 'inline' ? exportedChildren(run, task.id) : []
  let parentUuid: string | null = null
  let place = { cwd: redacted(run, task.projectDir, task.id), gitBranch: '' }
  let timestamp = task.createdAt
  const message = (
    type: 'user' | 'assistant',
    uuid: string,
    content: object,
    more = {},
  ): string => {
    const written = line({
      parentUuid,
      isSidechain,
      userType: 'external',
      ...place,
      sessionId: run.rootId,
      version: run.version,
      type,
      message: content,
      uuid,
      timestamp,
      ...(isSidechain && { agentId: agentIdOf(task) }),
      ...more,
    })
    parentUuid = uuid
    return written
  }
  const answer = (uuid: string, of: MessageEntry | null, content: object[], stop: string) =>
    message('assistant', uuid, {
      id: `msg_${uuid.replaceAll('-', '').slice(0, 24)}`,
      type: 'message',
      role: 'assistant',
      model: of?.model ?? task.model ?? 'unknown',
      content,
      stop_reason: stop,
      ...(of?.usage && { usage: usageOf(of.usage) }),
    })
  const imageOf = (image: ImageRef) => imageBlock(run, task, image)
  for await (const part of conversation(run, task)) {
    if (part.kind === 'other') continue
    const { message: said } = part
    if (said) {
      timestamp = said.timestamp
      place = { cwd: said.cwd, gitBranch: said.gitBranch ?? '' }
    }
    if (part.kind === 'prompt') {
      const content = await promptContent(part.message, imageOf)
      yield message('user', part.message.uuid, { role: 'user', content })
      continue
    }
    const uuid = said?.uuid ?? derivedUuid(`${task.id}${part.calls[0]?.call?.callId}`)
    const content = assistantContent(part, place.cwd)
    // A message must not be empty, as that of a turn without an answer is.
    if (content.length > 0)
      yield answer(uuid, said, content, part.calls.length > 0 ? 'tool_use' : 'end_turn')
    // One record per result: only one structured result fits into a record.
    for (const { result } of part.calls) {
      if (!result) continue
      const images = await Promise.all((result.images ?? []).map(imageOf))
      const child = children.find(({ callId }) => callId === result.callId)
      const structured = toolUseResult(result, place.cwd, child)
      yield message(
        'user',
        derivedUuid(`${uuid}${result.callId}`),
        { role: 'user', content: [resultBlock(result, images)] },
        structured && { toolUseResult: structured },
      )
    }
    for (const { result } of part.calls) {
      const detail = result && detailOf(result)
      if (detail?.kind !== 'report') continue
      // The answer of a Claude Code agent is its last message.
      const { title, markdown } = detail
      const text = `# ${title}\n\n${markdown}`
      yield answer(derivedUuid(`${uuid}report`), null, [{ type: 'text', text }], 'end_turn')
    }
  }
  for (const child of children) yield* chain(run, child)
}

/** Claude Code counts cached input apart. */
function usageOf(usage: Usage): object {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    ...(cacheWrite1hTokens !== undefined && {
      cache_creation: {
        ephemeral_5m_input_tokens: Math.max(0, cacheWriteTokens - cacheWrite1hTokens),
        ephemeral_1h_input_tokens: cacheWrite1hTokens,
      },
    }),
  }
}

async function promptContent(
  { parts }: MessageEntry,
  imageOf: (image: ImageRef) => Promise<object>,
): Promise<object[]> {
  const content: object[] = []
  for (const part of parts) {
    if (part.type === 'text') content.push({ type: 'text', text: part.text })
    else if (part.type === 'image') content.push(await imageOf(part))
  }
  return content
}

const resultBlock = ({ callId, output, outcome }: ToolResultEntry, images: object[]): object => ({
  type: 'tool_result',
  tool_use_id: callId,
  content: images.length > 0 ? [{ type: 'text', text: output }, ...images] : output,
  is_error: outcome !== 'ok',
})

async function imageBlock(run: ExportRun, task: Task, { sha256 }: ImageRef): Promise<object> {
  const data = await run.source.blob(task.id, sha256)
  const kind = data && imageKindOf(data)
  if (!data || !kind) return { type: 'text', text: '[An image that was deleted]' }
  const encoded = Buffer.from(data).toString('base64')
  return { type: 'image', source: { type: 'base64', media_type: kind.mediaType, data: encoded } }
}

/** In the order of the message's parts; calls that the message does not name come last. */
function assistantContent({ message, calls }: Turn, cwd: string): object[] {
  const left = new Map(calls.flatMap(({ call }) => (call ? [[call.callId, call]] : [])))
  const content = (message?.parts ?? []).flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'reasoning') return [{ type: 'thinking', thinking: part.text, signature: '' }]
    if (part.type !== 'tool-call') return []
    const call = left.get(part.callId)
    left.delete(part.callId)
    return [
      call ? toolUse(call, cwd) : { type: 'tool_use', id: part.callId, name: part.name, input: {} },
    ]
  })
  for (const call of left.values()) content.push(toolUse(call, cwd))
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
