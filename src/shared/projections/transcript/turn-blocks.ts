/**
 * Makes the blocks of a turn for display from its entries: text, reasoning, images and tool calls
 * in order.
 */
import type { ImageRef, PermissionAnswer } from '../../agents/agent-records.ts'
import { type ToolDetail, toolDetailSchema } from '../../agents/tools.ts'
import type { MessagePart } from '../../records/entry-types/messages.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import type { ToolCallId } from '../../records/ids.ts'

export interface ToolCallView {
  callId: ToolCallId
  /** The seqs of its two entries; null if one was not read or does not exist yet. */
  seq: number | null
  resultSeq: number | null
  name: string
  /** The agent's title for it; null for a tool of Shiplog's, or if there is none. */
  title: string | null
  input: unknown
  /** `not-loaded`: its entries are on a page that was not read. */
  state: 'running' | 'ok' | 'error' | 'unknown' | 'not-loaded'
  /** The end of its output while it runs; null: nothing yet. */
  output: string | null
  /** Images in its result. */
  images: readonly ImageRef[]
  detail: ToolDetail | null
  durationMs: number | null
  /** ISO 8601; null when its entry was not read. */
  startedAt: string | null
  /** Who or what allowed or refused it; null: nothing was asked. */
  permission: PermissionAnswer | null
}

export type TurnBlock =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** Its content is in the session's `blobs/`, under `sha256`. */
  | ({ kind: 'image' } & ImageRef)
  | { kind: 'tool'; call: ToolCallView }

export const imageRefOf = ({ mediaType, sha256, bytes }: ImageRef): ImageRef => ({
  mediaType,
  sha256,
  bytes,
})

/** Places the known calls where the message refers to them. Other calls come last. */
export function placeCalls(parts: MessagePart[], blocks: TurnBlock[]): TurnBlock[] {
  const calls = new Map(
    blocks.flatMap((block) => (block.kind === 'tool' ? [[block.call.callId, block.call]] : [])),
  )
  const placed: TurnBlock[] = parts.map((part) => {
    if (part.type === 'image') return { kind: 'image', ...imageRefOf(part) }
    if (part.type !== 'tool-call') return { kind: part.type, text: part.text }
    const call = calls.get(part.callId) ?? notLoaded(part.callId, part.name)
    calls.delete(part.callId)
    return { kind: 'tool', call }
  })
  for (const call of calls.values()) placed.push({ kind: 'tool', call })
  return placed
}

export function addCall(blocks: TurnBlock[], entry: ToolCallEntry, at: string): TurnBlock[] {
  const call: ToolCallView = {
    ...notLoaded(entry.callId, entry.name),
    seq: entry.seq,
    title: entry.title ?? null,
    input: entry.input,
    state: 'running',
    startedAt: at,
  }
  return [...blocks, { kind: 'tool', call }]
}

export function addResult(blocks: TurnBlock[], entry: ToolResultEntry): TurnBlock[] {
  const detail = toolDetailSchema.safeParse(entry.detail)
  const result = {
    resultSeq: entry.seq,
    state: entry.outcome,
    output: entry.output,
    images: entry.images ?? [],
    detail: detail.success ? detail.data : null,
    durationMs: entry.durationMs,
    ...(entry.revised?.title !== undefined && { title: entry.revised.title }),
    ...(entry.revised?.input !== undefined && { input: entry.revised.input }),
  }
  const known = blocks.some((block) => block.kind === 'tool' && block.call.callId === entry.callId)
  if (!known)
    return [
      ...blocks,
      { kind: 'tool', call: { ...notLoaded(entry.callId, entry.name), ...result } },
    ]
  return blocks.map((block) =>
    block.kind === 'tool' && block.call.callId === entry.callId
      ? { kind: 'tool', call: { ...block.call, ...result } }
      : block,
  )
}

/** Returns null if none of the blocks is that call. */
export function withPermission(
  blocks: TurnBlock[],
  callId: ToolCallId,
  permission: PermissionAnswer,
): TurnBlock[] | null {
  const at = blocks.findIndex((block) => block.kind === 'tool' && block.call.callId === callId)
  const block = blocks[at]
  if (block?.kind !== 'tool') return null
  return blocks.with(at, { kind: 'tool', call: { ...block.call, permission } })
}

function notLoaded(callId: ToolCallId, name: string): ToolCallView {
  return {
    callId,
    seq: null,
    resultSeq: null,
    name,
    title: null,
    input: null,
    state: 'not-loaded',
    output: null,
    images: [],
    detail: null,
    durationMs: null,
    startedAt: null,
    permission: null,
  }
}

export function textLength(parts: readonly (MessagePart | TurnBlock)[]): number {
  return parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 1), 0)
}
