/** The state before an agent is resumed. Only later changes are printed. */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'

export interface Baseline {
  state: LedgerState
  /** Reports whether the task has not changed since. */
  isUnchanged(task: Task): boolean
  /** Returns the number of entries that its transcript had. */
  entriesOf(taskId: TaskId): number
}

/** `rootIds` are the trees whose transcripts will be followed. */
export async function readBaseline(
  client: ShiplogClient,
  state: LedgerState,
  rootIds: ReadonlySet<TaskId>,
): Promise<Baseline> {
  const marks = new Map([...state.tasks].map(([id, task]) => [id, JSON.stringify(task)]))
  const followed = [...state.tasks.values()].filter(
    (task) => rootIds.has(task.rootId) && task.hasTranscript && !task.archived,
  )
  const entries = new Map<TaskId, number>()
  for (const { id: taskId } of followed) {
    const { total } = await client.transcripts.page({ taskId, at: 'end', limit: 1 })
    entries.set(taskId, total)
  }
  return {
    state,
    isUnchanged: (task) => marks.get(task.id) === JSON.stringify(task),
    entriesOf: (taskId) => entries.get(taskId) ?? 0,
  }
}
