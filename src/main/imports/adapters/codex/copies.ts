/**
 * Detects records copied from another thread's history. The rollout of a fork, or of a sub-agent that inherits its
 * parent's history, begins with copies: its first line is followed by the first line of the other thread.
 */
import { asRecord, text, timeOf } from '../values.ts'
import type { RolloutLine, RolloutMeta } from './lines.ts'

/** A copy is written in one go, so records after a longer pause are the thread's own. */
const copyPauseMs = 1_000

/** `isCopy` must be called for every record in file order. */
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
    // Older versions have no turn ids.
    const ms = timeOf(line.timestamp)
    const pauseMs = ms === null || lastMs === null ? 0 : ms - lastMs
    lastMs = ms ?? lastMs
    return !hasTurnIds && pauseMs > copyPauseMs
  }

  return { isCopy }
}

/** The time in a version 7 UUID, in milliseconds since the epoch; null: another version. */
function timeOfId(id: string | null): number | null {
  if (
    id === null ||
    !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)
  )
    return null
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
