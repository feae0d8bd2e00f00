/**
 * Which records at the beginning of a rollout are a copy of another thread's history. A fork, and a sub-agent that was
 * started with its parent's history, begin with copies: their first line is followed by that of the other thread.
 */
import { asRecord, text, timeOf } from '../values.ts'
import type { RolloutLine, RolloutMeta } from './lines.ts'

/** A copy is written at once: what comes later is the thread's own. */
const copyPauseMs = 1_000

/** `isCopy` is asked for each record, in their order. */
export function createCopyDetector(meta: RolloutMeta | null): {
  isCopy(line: RolloutLine): boolean
} {
  const startMs = meta && timeOfId(meta.threadId)
  let isCopying = false
  let hasTurnIds = false
  let lastMs: number | null = null

  function isCopy(line: RolloutLine): boolean {
    if (!meta) return false
    if (meta.ownFromOrdinal !== null && line.ordinal !== null)
      return line.ordinal > 0 && line.ordinal < meta.ownFromOrdinal
    if (line.type === 'session_meta') {
      const id = text(line.payload.id)
      isCopying ||= id !== null && id !== meta.threadId
      lastMs = timeOf(line.timestamp)
      return isCopying
    }
    if (isCopying) isCopying = !isOwn(line)
    return isCopying
  }

  function isOwn(line: RolloutLine): boolean {
    const turnMs = timeOfId(text(asRecord(line.payload).turn_id))
    if (turnMs !== null) hasTurnIds = true
    if (turnMs !== null && startMs !== null) return turnMs >= startMs
    // Older versions have no ids of turns.
    const ms = timeOf(line.timestamp)
    const pauseMs = ms === null || lastMs === null ? 0 : ms - lastMs
    lastMs = ms ?? lastMs
    return !hasTurnIds && pauseMs > copyPauseMs
  }

  return { isCopy }
}

/** Milliseconds since the epoch in a UUID of version 7; null: it is none. */
function timeOfId(id: string | null): number | null {
  if (
    id === null ||
    !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)
  )
    return null
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
