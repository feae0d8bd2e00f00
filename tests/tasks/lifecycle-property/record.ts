/** What must hold of any ledger, whatever wrote it and whatever happened to it. */
import { transitionFor } from '../../../src/main/tasks/state/lifecycle.ts'
import { foldLedgerRecord } from '../../../src/shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../../src/shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import { isRunning } from '../../../src/shared/records/tasks/task-status.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'

const needsAReason = ['blocked', 'cancelled', 'abandoned', 'failed', 'interrupted']

/** Walks the events from the first, a step at a time. In words; empty when every step was allowed. */
export function whatIsNotAllowed(records: { seq: number; event: LedgerEvent }[]): string[] {
  const wrong: string[] = []
  const state = emptyLedgerState('/data')
  const over = new Set<TaskId>()
  for (const { seq, event } of records) {
    const task = 'taskId' in event ? state.tasks.get(event.taskId) : undefined
    const before = task && { ...task }
    foldLedgerRecord(state, { seq, at: seq, event })
    const after = before && state.tasks.get(before.id)
    if (!before || !after) continue
    const what = `record ${seq}, ${event.type} of a task that is ${before.status}`
    const row = transitionFor(before, event.type)
    if (before.status !== after.status && row?.to !== after.status)
      wrong.push(`${what}: no row of the table leads to ${after.status}`)
    if (over.has(before.id) && (isRunning(after.status) || after.runs.length > before.runs.length))
      wrong.push(`${what}: a completed sub-agent runs again`)
    if (after.status === 'completed' && after.parentId !== null) over.add(after.id)
    if (isRunning(before.status) && after.runs.length > before.runs.length)
      wrong.push(`${what}: a second run beside the first`)
    wrong.push(...oddIn(after).map((one) => `${what}: ${one}`))
  }
  return wrong
}

/** What can't be true of a task at any moment. */
function oddIn({ status, cause, runs }: Task): string[] {
  const odd: string[] = []
  if (needsAReason.includes(status) && !cause) odd.push(`${status} without a reason`)
  if (runs.some(({ run }, index) => run !== index + 1))
    odd.push(`its runs are ${runs.map(({ run }) => run).join()}`)
  const open = runs.filter((run) => run.status === 'running')
  if (open.length !== (isRunning(status) ? 1 : 0) || (open[0] && open[0] !== runs.at(-1)))
    odd.push(`${status}, with ${open.length} of its runs open`)
  if (runs.some((run) => run.status !== 'running' && run.endedAt === null))
    odd.push('a run that is over has no end')
  return odd
}
