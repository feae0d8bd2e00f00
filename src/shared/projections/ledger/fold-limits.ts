/** Folds the events of a root's budget and sleep into its task. */
import { assertNever } from '../../assert-never.ts'
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { Task } from '../../records/tasks/tasks.ts'

type LimitsEvent = LedgerEventOf<
  'task.budget-set' | 'task.budget-reached' | 'task.sleep-started' | 'task.sleep-ended'
>

/** `at`: when it was recorded. */
export function foldLimits(task: Task, event: LimitsEvent, at: string): Partial<Task> {
  switch (event.type) {
    case 'task.budget-set': {
      const { budget: _, ...options } = task.options
      return {
        options: { ...options, ...(event.budget && { budget: event.budget }) },
        budgetReached: undefined,
        budgetPauses: task.budgetPauses?.map((pause) => ({ ...pause, to: pause.to ?? at })),
      }
    }
    case 'task.budget-reached': {
      const { part, level, used } = event
      return {
        budgetReached: [...(task.budgetReached ?? []), { part, level, used, at }],
        ...(level !== 'near' && { budgetPauses: paused(task.budgetPauses, at) }),
      }
    }
    case 'task.sleep-started': {
      const { reason, wait, untilMs } = event
      const since = task.sleep?.wait === wait ? task.sleep.since : at
      return {
        sleep: { until: new Date(untilMs).toISOString(), since, reason, wait },
        sleepEnded: undefined,
        quotaWaitsUsed: wait,
      }
    }
    case 'task.sleep-ended':
      return {
        sleep: undefined,
        sleepEnded: reasonsToShow.includes(event.because)
          ? { because: event.because, at }
          : undefined,
      }
    default:
      return assertNever(event)
  }
}

/** Reasons that the user did not choose, so that the task shows them. */
const reasonsToShow: readonly string[] = [
  'no-waits-left',
  'too-long',
  'not-answered',
  'not-resumed',
]

/** Starts a pause, unless one is already open. */
function paused(pauses: Task['budgetPauses'] = [], at: string): Task['budgetPauses'] {
  return pauses.at(-1)?.to === null ? pauses : [...pauses, { from: at, to: null }]
}
