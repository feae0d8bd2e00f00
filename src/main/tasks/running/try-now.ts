/** Ends the wait before the next attempt of a request that a model's server refused. */
import { refused } from '../../../shared/failure.ts'
import { descendantsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { Runner } from './runner.ts'

/** Ends the waits of the agent and of those below it. Returns those that waited. Throws FailureError if none does. */
export type TryNow = (taskId: TaskId) => TaskId[]

export function createTryNow({
  taskLedger,
  state,
  runner,
}: {
  taskLedger: TaskLedger
  state: LedgerState
  runner: Pick<Runner, 'endRetryWaits'>
}): TryNow {
  return (taskId) => {
    const { title } = taskLedger.get(taskId)
    const tree = [taskId, ...descendantsOf(state, taskId).map(({ id }) => id)]
    const trying = runner.endRetryWaits(tree)
    if (trying.length > 0) return trying
    return refused('not-running', `"${title}" does not wait to try again.`)
  }
}
