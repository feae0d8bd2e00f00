/** Waits for an agent only as long as its run lasts, even if the agent never answers. */
import { setImmediate as othersTurn, setTimeout as wait } from 'node:timers/promises'

/** Agents react to the abort signal within milliseconds; after this time the run ends without the agent. */
export const stopGraceMs = 5_000

/** An agent whose events are always available would block timers and other agents. */
const sliceMsMax = 10

/**
 * Settles as `work` does. After the signal is aborted, `work` has `graceMs` to settle; then this
 * rejects with the signal's reason, and `onLate` is called with a later result of `work`.
 */
export async function settledUntilStopped<Result>(
  work: Promise<Result>,
  {
    signal,
    graceMs,
    onLate,
  }: { signal: AbortSignal; graceMs: number; onLate: (late: Result) => void },
): Promise<Result> {
  const over = Promise.withResolvers<never>()
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => {
      isOver = true
      over.reject(signal.reason)
    }, graceMs)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  work.then(
    (result) => isOver && onLate(result),
    () => undefined,
  )
  try {
    return await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Yields the values of `source`. Once the signal is aborted, `source` has `graceMs` to end; then this rejects with
 * the signal's reason, even if `source` continues, and calls its `return` without waiting for that.
 */
export async function* untilStopped<Event>(
  source: AsyncIterable<Event>,
  signal: AbortSignal,
  graceMs: number,
): AsyncGenerator<Event, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let isTimeOver = false
  /** For the awaited event only. One promise for all would retain every event until the run ends. */
  let rejectNext: (reason: unknown) => void = () => undefined
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => {
      isTimeOver = true
      rejectNext(signal.reason)
    }, graceMs)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const next = () =>
    new Promise<IteratorResult<Event>>((resolve, reject) => {
      if (isTimeOver) return reject(signal.reason)
      rejectNext = reject
      iterator.next().then(resolve, reject)
    })
  let isOver = false
  let since = performance.now()
  try {
    for (;;) {
      if (performance.now() - since > sliceMsMax) {
        await othersTurn()
        since = performance.now()
      }
      const event = await next()
      isOver = event.done === true
      if (event.done) return
      yield event.value
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // Not awaited: the return of an agent that hangs never settles.
    if (!isOver) void iterator.return?.()?.then(undefined, () => undefined)
  }
}

/** Waits for `ended`, at most for the grace period. Never rejects. */
export async function withinGrace(ended: Promise<unknown>, graceMs = stopGraceMs): Promise<void> {
  const late = new AbortController()
  await Promise.race([
    ended.catch(() => undefined),
    wait(graceMs, undefined, { signal: late.signal }).catch(() => undefined),
  ])
  late.abort()
}
