import type { TaskId } from '../../records/ids.ts'
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { LedgerState } from './ledger-state.ts'

/** Adds imported tasks, which are archived and can't run. */
export function foldImport(
  state: LedgerState,
  { tasks, projectId, source }: LedgerEventOf<'tasks.imported'>,
  at: string,
): void {
  const rootId = tasks[0]?.id as TaskId
  for (const { project, branch, ...imported } of tasks) {
    const parent = imported.parentId ? state.tasks.get(imported.parentId) : undefined
    // Set if a session that had grown was imported again.
    const before = state.tasks.get(imported.id)
    const task: Task = {
      ...imported,
      rootId,
      projectId,
      projectDir: state.projects.get(projectId)?.dir ?? project.dir,
      archived: true,
      trashed: false,
      trashedAt: null,
      purged: false,
      pinned: before?.pinned ?? false,
      imported: true,
      transcriptExpired: null,
      transcriptRestoredAt: null,
      patch: 'none',
      workspace: {
        id: imported.id,
        kind: imported.parentId === null ? 'root' : 'task',
        projectId,
        parentId: imported.parentId,
        // It has no folder here.
        isolation: 'in-place',
        path: '',
        branch,
        baseCommit: null,
        baseBranch: null,
        removal: 'removed',
        pending: null,
        restoring: false,
        createdAt: at,
      },
      options: { agentsAtOnce: 1, keep: false },
      depth: parent ? parent.depth + 1 : 0,
      ...(imported.parentId === null && { importedFrom: { ...source, at } }),
    }
    state.tasks.set(task.id, task)
  }
}
