/** Detects agents that are working but show no activity, which a user may have to check (Q4). */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ActivityBoard } from './activity.ts'

/** Longer than most models take to begin an answer, and than most tests run without output. */
export const silentAfterMs = 4 * 60_000
/** Far longer than any agent takes to start, and a minute before one that hangs is ended. */
export const silentStartAfterMs = 60_000
const checkIntervalMs = 15_000

export interface SilenceMonitor {
  /** Records that the agent sent text, made a call or printed output. */
  recordProgress(taskId: TaskId): void
  ended(taskId: TaskId): void
}

/** `every` calls back at an interval, and returns a function that stops it. */
export function createSilenceMonitor({
  activity,
  clock,
  every = interval,
}: {
  activity: ActivityBoard
  clock: () => number
  every?: (ms: number, check: () => void) => () => void
}): SilenceMonitor {
  const lastProgressAt = new Map<TaskId, number>()
  let stop: (() => void) | null = null

  function check(): void {
    for (const [taskId, atMs] of lastProgressAt) {
      const doing = activity.get(taskId)
      if (doing?.state !== 'working' || doing.silentSince !== undefined) continue
      // An agent that waits for others, for a user or for its next attempt is expected to be silent.
      if (doing.awaits || doing.retriesAt !== undefined) continue
      const afterMs = doing.starts ? silentStartAfterMs : silentAfterMs
      if (clock() - atMs >= afterMs) activity.set(taskId, { ...doing, silentSince: atMs })
    }
  }

  return {
    recordProgress(taskId) {
      lastProgressAt.set(taskId, clock())
      stop ??= every(checkIntervalMs, check)
      const doing = activity.get(taskId)
      if (doing?.state !== 'working' || doing.silentSince === undefined) return
      const { silentSince: _, ...awake } = doing
      activity.set(taskId, awake)
    },
    ended(taskId) {
      lastProgressAt.delete(taskId)
      if (lastProgressAt.size > 0) return
      stop?.()
      stop = null
    },
  }
}

function interval(ms: number, check: () => void): () => void {
  const timer = setInterval(check, ms)
  timer.unref()
  return () => clearInterval(timer)
}
