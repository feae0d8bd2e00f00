/** Parses the lines of a rollout, `{timestamp, type, payload}`, and its first line. */
import { asRecord, isRecord, text, timeOf } from '../values.ts'

export interface RolloutLine {
  type: string
  payload: Record<string, unknown>
  /** ISO 8601 if valid. */
  timestamp: unknown
  /** Position in the thread; null in versions without ordinals. */
  ordinal: number | null
}

/** Whether the value is a whole record, not a nested object of a torn one. */
export const isCodexRecord = (value: Record<string, unknown>): boolean =>
  typeof value.type === 'string' && isRecord(value.payload) && typeof value.timestamp === 'string'

export const lineOf = (record: Record<string, unknown>): RolloutLine => ({
  type: text(record.type) ?? '',
  payload: asRecord(record.payload),
  timestamp: record.timestamp,
  ordinal: typeof record.ordinal === 'number' ? record.ordinal : null,
})

/** The first line of a rollout: its thread and the relations to other threads. */
export interface RolloutMeta {
  threadId: string
  /** The thread that started this sub-agent; null: a session. */
  parentId: string | null
  /** The session of a sub-agent; null in versions that do not record it. */
  rootId: string | null
  /** The session that a fork continues without a copied history; null: it has a copy, or is not a fork. */
  continuesFrom: string | null
  /** In milliseconds since the epoch. */
  startMs: number | null
  /** Started by the tool itself, for example to update its memories. */
  isInternal: boolean
  /** The role of a sub-agent; null: none. */
  role: string | null
  /** The sub-agent's name in the tool; `agentPath` is its path. */
  nickname: string | null
  agentPath: string | null
  /** The ordinal of the first record that is not copied; null: unknown. */
  ownFromOrdinal: number | null
  cwd: string | null
  branch: string | null
  version: string | null
  provider: string | null
}

/** Parses the first line of a rollout; null: another record. */
export function metaOf(record: Record<string, unknown>): RolloutMeta | null {
  const { type, payload } = lineOf(record)
  const threadId = text(payload.id)
  if (type !== 'session_meta' || threadId === null) return null
  const { source } = payload
  const subagent = asRecord(source).subagent
  const spawn = asRecord(asRecord(subagent).thread_spawn)
  const parentId = text(payload.parent_thread_id) ?? text(spawn.parent_thread_id)
  const start = payload.subagent_history_start_ordinal
  return {
    threadId,
    parentId: parentId === threadId ? null : parentId,
    rootId: text(payload.session_id),
    continuesFrom: isRecord(payload.history_base) ? text(payload.forked_from_id) : null,
    startMs: timeOf(payload.timestamp),
    isInternal: asRecord(source).internal !== undefined || subagent === 'memory_consolidation',
    role: text(payload.agent_role) ?? text(spawn.agent_role) ?? text(subagent),
    nickname: text(payload.agent_nickname) ?? text(spawn.agent_nickname),
    agentPath: text(payload.agent_path) ?? text(spawn.agent_path),
    ownFromOrdinal: typeof start === 'number' ? start : null,
    cwd: text(payload.cwd),
    branch: text(asRecord(payload.git).branch) || null,
    version: text(payload.cli_version),
    provider: text(payload.model_provider),
  }
}

/** `preserved`: preserved verbatim; `quiet`: preserved verbatim, but duplicated by other records. */
export type Mapping = 'mapped' | 'preserved' | 'quiet'
