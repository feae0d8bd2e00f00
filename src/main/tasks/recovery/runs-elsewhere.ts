/**
 * Detects runs of a process that is alive although it does not hold the lease, because the lease
 * was deleted or taken by force. It continues to write their sessions: no other process may write
 * them, or record them as interrupted (T3).
 */
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { ProcessIdentity } from '../../../shared/records/tasks/runs.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { isCertainlyRunning } from '../../processes/identity.ts'

/** Titles in the message; more would only hide what to do. */
const titlesMax = 3

/** The message names the process, its runs and the remedy. */
class RunsElsewhereError extends Error {
  readonly kind = 'runs-elsewhere'
  readonly process: ProcessIdentity

  constructor(process: ProcessIdentity, tasks: Task[]) {
    const titles = tasks.slice(0, titlesMax).map(({ title }) => `"${title}"`)
    if (tasks.length > titlesMax) titles.push(`${tasks.length - titlesMax} more`)
    super(
      `process ${process.pid} still runs agents here (${titles.join(', ')}), although it no longer holds lease.json; end that process, then start again`,
    )
    this.name = 'RunsElsewhereError'
    this.process = process
  }
}

/**
 * Throws RunsElsewhereError for a run that has begun and not ended in another process that is alive: the
 * same pid and the same start time. A pid that was given to another process since is none.
 */
export async function refuseRunsElsewhere(state: LedgerState, own: ProcessIdentity): Promise<void> {
  const running = [...state.tasks.values()].flatMap((task) => {
    const run = task.runs.at(-1)
    return run?.status === 'running' && run.process ? [{ task, process: run.process }] : []
  })
  const byProcess = Map.groupBy(running, ({ process }) => `${process.pid} ${process.startedAt}`)
  for (const runs of byProcess.values()) {
    const [first] = runs
    // This process has the lease and has begun none: its earlier runs are over.
    if (!first || (first.process.pid === own.pid && first.process.startedAt === own.startedAt))
      continue
    if (await isCertainlyRunning(first.process))
      throw new RunsElsewhereError(
        first.process,
        runs.map(({ task }) => task),
      )
  }
}
