/** Puts the tasks of a session that was read in order. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ReadTask } from './adapter.ts'

/** A root without a file of its own is where and when its first sub-agent was. */
export function inheritPlace([root, ...agents]: ReadTask[]): void {
  const [first] = agents
  if (!root || !first) return
  Object.assign(root, { cwd: first.cwd, branch: first.branch, startedAtMs: first.startedAtMs })
  const ends = agents.flatMap(({ endedAtMs }) => endedAtMs ?? [])
  if (ends.length > 0) root.endedAtMs = Math.max(...ends)
}

/** Those that refer to each other in a circle, to themselves or to none of `tasks` are put below the root. */
export function parentsFirst(tasks: ReadTask[], rootId: TaskId): ReadTask[] {
  const sorted: ReadTask[] = []
  const add = (parentId: TaskId | null): void => {
    for (const task of tasks.filter((one) => one.parentId === parentId)) {
      if (sorted.includes(task)) continue
      sorted.push(task)
      add(task.id)
    }
  }
  add(null)
  for (const task of tasks) if (!sorted.includes(task)) sorted.push({ ...task, parentId: rootId })
  return sorted
}
