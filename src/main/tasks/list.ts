/** Lists tasks as trees. */
import {
  type LedgerState,
  sourceOf,
  taskTree,
} from '../../shared/projections/ledger/ledger-state.ts'
import { usageOfTask } from '../../shared/projections/ledger/tree-usage.ts'
import type { RecordSource } from '../../shared/records/exported-tasks.ts'
import { isBeingRemoved } from '../../shared/records/projects/workspaces.ts'
import { isRunning, type TaskStatus } from '../../shared/records/tasks/task-status.ts'
import type { Task, TaskTree } from '../../shared/records/tasks/tasks.ts'
import type { TreeLimits } from './limits/tree-limits.ts'

export interface TaskQuery {
  projectDir?: string | undefined
  /** `running`: spawned or resumed. */
  status?: TaskStatus | 'running' | undefined
  source?: RecordSource | undefined
  all: boolean
}

/** `used`: the usage that running tasks have reported so far. */
export function listTasks(
  state: LedgerState,
  query: TaskQuery,
  used: TreeLimits['usage'],
): TaskTree[] {
  const wanted = [...state.tasks.values()].filter((task) => {
    if (task.trashed) return false
    const root = state.tasks.get(task.rootId)
    if (!query.all && root && (root.archived || isBeingRemoved(root))) return false
    const { status } = query
    if (status === 'running' ? !isRunning(task.status) : status && task.status !== status)
      return false
    if (query.source !== undefined && sourceOf(state, task) !== query.source) return false
    return query.projectDir === undefined || task.projectDir === query.projectDir
  })
  const withUsageSoFar = (task: Task): Task => {
    const now = used.get(task.id)
    return now ? { ...task, usage: usageOfTask(task, new Map([[task.id, now]])) } : task
  }
  return taskTree(wanted.map(withUsageSoFar))
}
