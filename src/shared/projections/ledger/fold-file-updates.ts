/** Folds the updates of a user's files: applies and undos. */
import type { UpdateId } from '../../records/ids.ts'
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { FileUpdate } from '../../records/projects/file-updates.ts'
import { isPatchSaved } from '../../records/projects/workspaces.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { absolutePath } from './absolute-path.ts'
import type { LedgerState } from './ledger-state.ts'

export function foldFileUpdate(
  state: LedgerState,
  task: Task,
  event: LedgerEventOf<'files.update-started' | 'files.updated' | 'files.update-rolled-back'>,
  at: string,
): Partial<Task> {
  switch (event.type) {
    case 'files.update-started':
      return { fileUpdates: [...(task.fileUpdates ?? []), startedUpdate(state, event, at)] }
    case 'files.updated':
      return endUpdate(task, event.updateId, at)
    case 'files.update-rolled-back':
      return { fileUpdates: without(task.fileUpdates, [event.updateId]) }
  }
}

function startedUpdate(
  state: LedgerState,
  event: LedgerEventOf<'files.update-started'>,
  at: string,
): FileUpdate {
  const { updateId: id, reason, undoes, partial, commit, files } = event
  const [dir, root] = [absolutePath(event.dir, state), absolutePath(event.root, state)]
  const about = { reason, undoes, ...(partial ? { partial } : {}) }
  return { id, ...about, dir, root, commit, files, startedAt: at, doneAt: null }
}

function endUpdate(task: Task, id: UpdateId, at: string): Partial<Task> {
  const update = task.fileUpdates?.find((one) => one.id === id)
  if (!update) return {}
  if (update.reason === 'apply') {
    return {
      ...(update.partial ? {} : { patch: 'applied' as const }),
      fileUpdates: task.fileUpdates?.map((one) => (one.id === id ? { ...one, doneAt: at } : one)),
    }
  }
  const fileUpdates = without(task.fileUpdates, [id, update.undoes])
  if (update.partial) return { fileUpdates }
  return {
    // Without its worktree there is a patch, which can be applied again.
    patch: isPatchSaved(task.workspace) ? 'ready' : 'none',
    fileUpdates,
  }
}

function without(
  updates: Task['fileUpdates'],
  ids: readonly (UpdateId | undefined)[],
): Task['fileUpdates'] {
  const left = updates?.filter(({ id }) => !ids.includes(id))
  return left?.length ? left : undefined
}
