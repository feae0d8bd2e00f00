/** Measures transcripts in bytes. An archived one does not change, so it is measured once. */
import type { TaskId } from '../../shared/records/ids.ts'
import { contentBytes, contentDir, holdsTranscript } from '../artifacts/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { placeOf } from './place.ts'

export interface Sizes {
  /** Returns bytes by task; null for a missing transcript. Incomplete once `signal` is aborted. */
  of(ids: TaskId[]): Promise<Map<TaskId, number | null>>
}

/** Enough to keep a disk busy, few enough to leave time for other work. */
const measuredAtOnce = 16

export function createSizes(deps: {
  ledger: Ledger
  layout: DataLayout
  workspaces: WorkspaceService
  signal: AbortSignal
}): Sizes {
  const { ledger, layout, signal } = deps
  const { tasks } = ledger.state
  /** `runs` detects a root that was restored from the archive and has run since. */
  const known = new Map<TaskId, { runs: number; bytes: number }>()

  async function measure(id: TaskId): Promise<number | null> {
    const place = await placeOf(id, deps)
    if (place)
      return (await holdsTranscript(place, id)) ? contentBytes(contentDir(place, id)) : null
    // In use, and so in its own directory.
    return tasks.get(id)?.archived ? null : contentBytes(layout.sessionDir(id))
  }

  return {
    async of(ids) {
      const sizes = new Map<TaskId, number | null>()
      const waiting = ids.values()
      const work = async () => {
        for (const id of waiting) {
          if (signal.aborted) return
          const task = tasks.get(id)
          const before = known.get(id)
          const isSame = task?.archived && before?.runs === task.runs.length
          const bytes = isSame ? before.bytes : await measure(id)
          sizes.set(id, bytes)
          if (bytes !== null && task?.archived) known.set(id, { runs: task.runs.length, bytes })
        }
      }
      await Promise.all(Array.from({ length: measuredAtOnce }, work))
      return sizes
    },
  }
}
