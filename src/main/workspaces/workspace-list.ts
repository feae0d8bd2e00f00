/** Lists the workspaces in use, or those in the archive. */
import type { WorkspaceSummary } from '../../shared/contract/workspace.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'

export function createWorkspaceList({
  state,
  records,
}: {
  state: LedgerState
  records: Pick<ArchiveReader, 'bytesKept'>
}): (archived: boolean) => Promise<WorkspaceSummary[]> {
  async function list(archived: boolean): Promise<WorkspaceSummary[]> {
    const tasks = [...state.tasks.values()].filter(
      (task) => task.workspace && task.archived === archived && !task.trashed,
    )
    return Promise.all(tasks.map(summarize))
  }

  async function summarize(task: Task): Promise<WorkspaceSummary> {
    return {
      id: task.id,
      kind: task.parentId === null ? 'root' : 'task',
      title: task.title,
      projectDir: task.projectDir,
      path: task.workspace?.path ?? '',
      branch: task.workspace?.branch ?? null,
      status: task.status,
      archived: task.archived,
      pending: task.workspace?.pending ?? null,
      createdAt: task.workspace?.createdAt ?? task.createdAt,
      bytes: await records.bytesKept(task.id),
    }
  }

  return list
}
