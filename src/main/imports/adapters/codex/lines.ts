/** The lines of a rollout: `{timestamp, type, payload}`, and the names in it that other parts of this folder go by. */
import { asRecord, isRecord, text, timeOf } from '../values.ts'

export interface RolloutLine {
  type: string
  payload: Record<string, unknown>
  /** ISO 8601, if it has one. */
  timestamp: unknown
  /** Its place in the thread, in versions that count. */
  ordinal: number | null
}

/** A record of a file, and no part of one that is torn. */
export const isCodexRecord = (value: Record<string, unknown>): boolean =>
  typeof value.type === 'string' && isRecord(value.payload) && typeof value.timestamp === 'string'

export const lineOf = (record: Record<string, unknown>): RolloutLine => ({
  type: text(record.type) ?? '',
  payload: asRecord(record.payload),
  timestamp: record.timestamp,
  ordinal: typeof record.ordinal === 'number' ? record.ordinal : null,
})

/** The first line of a rollout: who wrote it, and where it belongs. */
export interface RolloutMeta {
  threadId: string
  /** The thread that started it, if it is a sub-agent; null: it is a session. */
  parentId: string | null
  /** The session that a sub-agent belongs to, in versions that say so. */
  rootId: string | null
  /** The session that it continues from without a copy of its history; null: it has a copy, or is no fork. */
  continuesFrom: string | null
  /** In milliseconds since the epoch. */
  startMs: number | null
  /** A run of the tool itself, which nobody asked for: of its memories, for instance. */
  isInternal: boolean
  /** Its role; null: it has none, or is no sub-agent. */
  role: string | null
  /** As the tool calls it, a name or a path. */
  nickname: string | null
  agentPath: string | null
  /** From which ordinal on the records are its own; null: it does not say. */
  ownFromOrdinal: number | null
  cwd: string | null
  branch: string | null
  version: string | null
  provider: string | null
}

/** Null: it is no first line of a rollout. */
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

/** `kept`: to be kept verbatim; `quiet`: the same, and other records say it as well. */
export type Mapping = 'mapped' | 'kept' | 'quiet'
