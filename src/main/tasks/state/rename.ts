import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { TaskLedger } from './task-ledger.ts'

/** Renames a root. A sub-agent keeps its title, because its parent refers to it by that. Throws FailureError. */
export type RenameTask = (taskId: TaskId, title: string) => Promise<void>

export function createRename({
  ledger,
  taskLedger,
}: {
  ledger: Pick<Ledger, 'record'>
  taskLedger: TaskLedger
}): RenameTask {
  return async (taskId, title) => {
    const task = taskLedger.get(taskId)
    if (task.parentId !== null)
      refused('not-a-root', `"${task.title}" is a sub-agent; only roots can be renamed.`)
    const line = title.trim().replaceAll(/\s+/g, ' ')
    if (line !== task.title) await ledger.record({ type: 'task.renamed', taskId, title: line })
  }
}
