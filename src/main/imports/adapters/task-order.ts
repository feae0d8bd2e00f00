/** Orders the tasks of an imported session. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ReadTask } from './adapter.ts'

/** Copies folder and times of the first sub-agent to a root without a file. */
export function inheritPlace([root, ...agents]: ReadTask[]): void {
  const [first] = agents
  if (!root || !first) return
  const starts = agents.flatMap(({ startedAtMs }) => startedAtMs ?? [])
  const ends = agents.flatMap(({ endedAtMs }) => endedAtMs ?? [])
  Object.assign(root, { cwd: first.cwd, branch: first.branch })
  if (starts.length > 0) root.startedAtMs = Math.min(...starts)
  if (ends.length > 0) root.endedAtMs = Math.max(...ends)
}

/** The first and last time of the tasks, in milliseconds since the epoch; null: no record has a time. */
export function spanOf(
  tasks: readonly {
    startedAtMs: number | null
    builder: { facts(): { atMs: number } }
  }[],
): { startMs: number; endMs: number } | null {
  const timed = tasks.filter(({ startedAtMs }) => startedAtMs !== null)
  if (timed.length === 0) return null
  return {
    startMs: Math.min(...timed.map(({ startedAtMs }) => startedAtMs ?? 0)),
    endMs: Math.max(...timed.map(({ builder }) => builder.facts().atMs)),
  }
}

/** Sorts parents before children. Tasks with cyclic or unknown parents become children of the root. */
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
