/** The state before an agent was resumed: only later changes are reported. */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'

export interface Before {
  state: LedgerState
  /** Whether nothing has happened to the task since. */
  holds(task: Task): boolean
  /** The entries that its transcript had. */
  entriesOf(taskId: TaskId): number
}

/** `rootIds`: the trees whose transcripts are going to be followed. */
export async function standBefore(
  client: ShiplogClient,
  state: LedgerState,
  rootIds: ReadonlySet<TaskId>,
): Promise<Before> {
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
    holds: (task) => marks.get(task.id) === JSON.stringify(task),
    entriesOf: (taskId) => entries.get(taskId) ?? 0,
  }
}
