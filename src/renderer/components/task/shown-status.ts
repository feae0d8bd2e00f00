import { isSettled, type Task } from '../../../shared/records/tasks.ts'
import type { ShownStatus } from '../primitives/status-icon.tsx'

/** A queued task whose root has stopped waits for no turn: nobody takes it up until the root goes on. */
export const shownStatus = (task: Task, root: Task | null): ShownStatus =>
  task.status === 'queued' && task.parentId !== null && root !== null && isSettled(root.status)
    ? 'not-started'
    : task.status
