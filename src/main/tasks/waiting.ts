/** Waits until tasks have settled, hearing of it from the ledger: never by asking again and again. */
import type { TaskId } from '../../shared/ids.ts'
import { isSettled } from '../../shared/tasks.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Node takes a longer time for no time at all. */
const timerMsMax = 2 ** 31 - 1

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
