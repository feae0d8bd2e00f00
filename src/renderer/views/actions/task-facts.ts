import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { canBeResumed } from '../../components/task/what-next.ts'
import { isResumable, isWaiting, resumableBelow } from '../../store/resume/resumable.ts'
import { resumableGroup } from '../../store/resume/resumable-group.ts'
import type { Stores } from '../../store/stores.ts'

/** Returns the facts that decide which actions a task has. */
export function taskFacts({ ledger, navigation }: Stores, task: Task) {
  const { id } = task
  const state = ledger.store.getState()
  const { tasks } = state.ledger
  const route = navigation.route.getState()
  const waiting = isWaiting(task, state.activity.get(id) ?? null)
  const resumable = !waiting && (canBeResumed(task) || isResumable(tasks, task))
  return {
    isRoot: task.parentId === null,
    isRunning: isRunning(task.status),
    isWaiting: waiting,
    isResumable: resumable,
    isRemoved: task.archived || (task.workspace?.removal ?? null) !== null,
    hasFolder: task.workspace !== null && task.workspace.removal === null,
    hasEntries: task.hasTranscript && task.transcriptExpired === null,
    isOnScreen: route.screen === 'task' && route.taskId === id && route.transcriptOf === null,
    isItsTranscript:
      (route.screen === 'task' && (route.transcriptOf ?? route.taskId) === id) ||
      (route.screen === 'transcript' && route.taskId === id),
    group: resumable && !task.archived ? resumableGroup(state.ledger, id).length : 0,
    /** Ends the label of an action that opens a dialog first, because agents below the task can be resumed too. */
    more: resumable && resumableBelow(tasks, id).length > 0 ? '…' : '',
  }
}
