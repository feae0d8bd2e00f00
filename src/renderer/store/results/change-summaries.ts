/**
 * Counts of files and lines that each agent itself changed, read when a run has ended. Bounded: the oldest
 * are dropped.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

/** Each summary is a few numbers. */
const summariesKeptMax = 200

export interface ChangeSummary {
  files: number
  /** Lines of the other files. */
  additions: number
  deletions: number
  /** Binary files, whose lines are not counted. */
  binary: number
  /** The branch that the changes would be applied to; null if its name is unknown. */
  branch: string | null
  /** Whether the target has all of these changes: what the review says, too. */
  applied: boolean
}

/** Reports whether an apply of everything would change nothing. */
export const isInTarget = ({ files, conflicts }: TargetComparison): boolean =>
  conflicts.length === 0 && files.length > 0 && files.every(({ state }) => state === 'applied')

export interface ChangeSummaries {
  store: StoreApi<ReadonlyMap<TaskId, ChangeSummary>>
  /** Counts once for each state of the task; if a count fails, the previous summary stays, if there is one. */
  load(task: Task): Promise<void>
}

/** Reports whether a run has ended in a worktree that can be compared with its base commit. */
export const hasChangeSummary = (task: Task): boolean =>
  task.workspace?.isolation === 'worktree' &&
  task.workspace.baseCommit !== null &&
  task.runs.length > 0 &&
  !isRunning(task.status)

export function createChangeSummaries(deps: {
  client: Pick<ShiplogClient, 'workspace'>
}): ChangeSummaries {
  const { client } = deps
  const store = createStore<ReadonlyMap<TaskId, ChangeSummary>>(() => new Map())
  /** The last counted state of each task. */
  const counted = new Map<TaskId, string>()

  /** Asked only of a task with an apply, because it costs a merge. */
  async function isApplied(task: Task): Promise<boolean> {
    if (task.patch !== 'applied' && !task.fileUpdates?.length) return false
    const compared = await client.workspace.compareTarget({ workspaceId: task.id })
    return isInTarget(compared)
  }

  async function load(task: Task): Promise<void> {
    const state = stateOf(task)
    if (!hasChangeSummary(task) || counted.get(task.id) === state) return
    counted.set(task.id, state)
    try {
      const { files, target } = await client.workspace.diff({ workspaceId: task.id, patch: false })
      if (counted.get(task.id) !== state) return
      const counts = {
        files: files.length,
        additions: sum(files.map((file) => file.additions)),
        deletions: sum(files.map((file) => file.deletions)),
        binary: files.filter(({ additions }) => additions === null).length,
      }
      const applied = await isApplied(task)
      if (counted.get(task.id) !== state) return
      set(task.id, { ...counts, branch: target.branch, applied })
    } catch {
      // The Changes tab shows the reason when it is opened; the next state of the task is counted
      // again.
      counted.delete(task.id)
    }
  }

  function set(id: TaskId, summary: ChangeSummary): void {
    const next = new Map(store.getState())
    next.delete(id)
    next.set(id, summary)
    for (const oldest of [...next.keys()].slice(0, Math.max(0, next.size - summariesKeptMax)))
      next.delete(oldest)
    store.setState(next, true)
  }

  return { store, load }
}

const stateOf = ({ status, patch, runs, workspace, fileUpdates }: Task): string =>
  JSON.stringify([
    status,
    patch,
    runs.at(-1)?.endedAt,
    workspace?.removal,
    fileUpdates?.map(({ id, doneAt }) => [id, doneAt]),
  ])

const sum = (counts: (number | null)[]): number =>
  counts.reduce<number>((total, count) => total + (count ?? 0), 0)
