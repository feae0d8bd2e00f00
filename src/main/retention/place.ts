/** Where a transcript is kept, so that it can be taken away and brought back. */
import type { TaskId } from '../../shared/ids.ts'
import { ancestorsOf } from '../../shared/projections/ledger-state.ts'
import { archivedTranscriptDir, type TranscriptPlace } from '../artifacts/index.ts'
import { exists } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'

/** A task's workspace whose directory holds it: who moves that directory must wait meanwhile. */
export type KeptPlace = TranscriptPlace & { keeperId: TaskId }

/** Null: its root is in the trash or gone, or its record is nowhere. */
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
