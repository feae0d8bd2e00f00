/** Finds where a transcript is kept, for moving it to the trash and back. */

import { ancestorsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { archivedTranscriptDir, type TranscriptPlace } from '../artifacts/index.ts'
import { exists } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'

/**
 * `keeperId` is the task whose workspace directory contains it: moving that directory must wait.
 */
export type KeptPlace = TranscriptPlace & { keeperId: TaskId }

/** Returns null if its root is in the trash or deleted, or its record is missing. */
export async function placeOf(
  taskId: TaskId,
  deps: {
    ledger: Pick<Ledger, 'state'>
    layout: DataLayout
    workspaces: Pick<WorkspaceService, 'records'>
  },
): Promise<KeptPlace | null> {
  const { state } = deps.ledger
  const task = state.tasks.get(taskId)
  if (!task || task.trashed) return null
  if (task.parentId === null) {
    const keeperDir = deps.layout.archiveDir(taskId)
    return (await exists(keeperDir)) ? { keeperId: taskId, keeperDir, own: true } : null
  }
  for (const keeperId of ancestorsOf(state, taskId)) {
    const keeperDir = await deps.workspaces.records.sessionHome(keeperId)
    if (keeperDir && (await exists(archivedTranscriptDir(keeperDir, taskId))))
      return { keeperId, keeperDir, own: false }
  }
  return null
}
