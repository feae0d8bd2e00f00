/** Waits until tasks have settled, by subscribing to the ledger instead of polling. */
import type { TaskId } from '../../../shared/records/ids.ts'
import { isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'

/** Node treats a longer delay as none. */
const timerMsMax = 2 ** 31 - 1

/**
 * Resolves when every task has settled (a blocked one counts, because waiting does not change it)
 * and none is about to run again, after `timeoutMs`, or once `stopWaiting` is aborted. Rejects with
 * the signal's reason.
 */
export async function waitUntilOver(
  { ledger, runs }: { ledger: Ledger; runs: Pick<RunRegistry, 'mayStillSpawn' | 'ended'> },
  taskIds: TaskId[],
  {
    timeoutMs,
    signal,
    stopWaiting,
  }: {
    timeoutMs?: number | undefined
    signal?: AbortSignal | undefined
    stopWaiting?: AbortSignal | undefined
  } = {},
): Promise<void> {
  const until = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
  signal?.throwIfAborted()
  for (;;) {
    const again = taskIds.filter((id) => isAboutToRunAgain({ ledger, runs }, id))
    const isOver = again.length === 0 && !taskIds.some((id) => isOpen(ledger, id))
    if (isOver || performance.now() >= until || stopWaiting?.aborted) return
    // An abandoned resume is not recorded.
    await nextNews(ledger, { until, signal, stopWaiting, ends: again.map((id) => runs.ended(id)) })
  }
}

/** Reports whether the task was resumed and waits for a slot. */
export function isAboutToRunAgain(
  { ledger, runs }: { ledger: Ledger; runs: Pick<RunRegistry, 'mayStillSpawn'> },
  taskId: TaskId,
): boolean {
  return ledger.state.tasks.get(taskId)?.status === 'interrupted' && runs.mayStillSpawn(taskId)
}

function isOpen(ledger: Ledger, taskId: TaskId): boolean {
  const task = ledger.state.tasks.get(taskId)
  return task !== undefined && !isSettled(task.status) && task.status !== 'blocked'
}

/**
 * Resolves when one of `ends` resolves, a record is written, `stopWaiting` is aborted, or
 * `performance.now()` reaches `until`.
 */
async function nextNews(
  ledger: Ledger,
  {
    until,
    signal,
    stopWaiting,
    ends,
  }: {
    until: number
    signal?: AbortSignal | undefined
    stopWaiting?: AbortSignal | undefined
    ends: Promise<void>[]
  },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const unsubscribe = ledger.subscribe(() => resolve())
  const timer = Number.isFinite(until)
    ? setTimeout(resolve, Math.min(until - performance.now(), timerMsMax))
    : undefined
  const abort = () => reject(signal?.reason)
  const stop = () => resolve()
  signal?.addEventListener('abort', abort, { once: true })
  stopWaiting?.addEventListener('abort', stop, { once: true })
  for (const end of ends) void end.then(resolve)
  try {
    signal?.throwIfAborted()
    await promise
  } finally {
    unsubscribe()
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    stopWaiting?.removeEventListener('abort', stop)
  }
}
