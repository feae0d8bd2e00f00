/** Waits until tasks have settled, hearing of it from the ledger: never by asking again and again. */
import type { TaskId } from '../../shared/ids.ts'
import { isSettled } from '../../shared/tasks.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RunRegistry } from './run-registry.ts'

/** Node takes a longer time for no time at all. */
const timerMsMax = 2 ** 31 - 1

/** Waits also for those that have settled once and are about to run again: they were resumed. */
export async function waitUntilOver(
  { ledger, runs }: { ledger: Ledger; runs: Pick<RunRegistry, 'isActive' | 'ended'> },
  taskIds: TaskId[],
  options: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const until = options.timeoutMs === undefined ? null : performance.now() + options.timeoutMs
  for (;;) {
    const timeoutMs = until === null ? undefined : Math.max(0, until - performance.now())
    await waitUntilSettled(ledger, taskIds, { ...options, timeoutMs })
    const again = taskIds.filter((id) => isAboutToRunAgain({ ledger, runs }, id))
    if (again.length === 0 || (until !== null && performance.now() >= until)) return
    await firstOf(
      again.map((id) => runs.ended(id)),
      { ledger, timeoutMs, signal: options.signal },
    )
  }
}

/** It was resumed, and its turn has not come yet. */
export function isAboutToRunAgain(
  { ledger, runs }: { ledger: Ledger; runs: Pick<RunRegistry, 'isActive'> },
  taskId: TaskId,
): boolean {
  return ledger.state.tasks.get(taskId)?.status === 'interrupted' && runs.isActive(taskId)
}

/** One of them ended, something was recorded, or the time is over: reason to look again. */
async function firstOf(
  ends: Promise<void>[],
  { ledger, timeoutMs, signal }: { ledger: Ledger; timeoutMs?: number; signal?: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const unsubscribe = ledger.subscribe(() => resolve())
  const timer =
    timeoutMs === undefined ? null : setTimeout(resolve, Math.min(timeoutMs, timerMsMax))
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  for (const end of ends) void end.then(resolve)
  try {
    signal?.throwIfAborted()
    await promise
  } finally {
    unsubscribe()
    if (timer) clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/**
 * Resolves when every task has settled (a blocked one counts: nothing happens to it by waiting), when
 * `timeoutMs` is over, or rejects with the signal's reason.
 */
export async function waitUntilSettled(
  ledger: Ledger,
  taskIds: TaskId[],
  { timeoutMs, signal }: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const open = () =>
    taskIds.some((id) => {
      const task = ledger.state.tasks.get(id)
      return task !== undefined && !isSettled(task.status) && task.status !== 'blocked'
    })
  signal?.throwIfAborted()
  if (!open()) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const unsubscribe = ledger.subscribe(() => {
    if (!open()) resolve()
  })
  const timer =
    timeoutMs === undefined ? null : setTimeout(resolve, Math.min(timeoutMs, timerMsMax))
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    unsubscribe()
    if (timer) clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
