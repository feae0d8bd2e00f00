/**
 * Wakes trees that wait for a spent quota (Q1). If an agent ends because its provider's quota is
 * spent until a known time, and its tree has waits left, the ledger records that the tree sleeps
 * until then. The process that holds the data directory at that time wakes it: one agent first, as
 * a probe, and the others once that one was answered.
 */

import { messageOf } from '../../../shared/error-message.ts'
import { refused } from '../../../shared/failure.ts'
import {
  isSleeper,
  type Sleep,
  sleepMsMax,
  wasStopped,
} from '../../../shared/projections/ledger/sleep.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'

/** Spreads the wake-ups of trees whose quota was spent at the same time. */
const jitterMsMax = 60_000
/** A timer does not count the time in which a laptop sleeps: the clock is read at least this often. */
const clockCheckMs = 30_000

export interface QuotaSleep {
  /** Sets a timer for each sleeping tree in the ledger. */
  start(): void
  /** Wakes the tree now. Throws FailureError if it is not asleep. */
  wakeNow(rootId: TaskId): Promise<void>
  /** Ends the sleep; the agents stay interrupted. Throws FailureError if the tree is not asleep. */
  cancel(rootId: TaskId): Promise<void>
  /** Ends the sleep because the user stopped the tree. */
  stopped(rootId: TaskId): Promise<void>
  /** Reports that the agent's provider answered, so that the quota is available. */
  answered(taskId: TaskId): void
  close(): void
}

export function createQuotaSleep(deps: {
  ledger: Ledger
  clock: () => number
  /** From 0 up to 1. */
  random: () => number
  /** Calls `run` at about `atMs`, or earlier. Returns a function that cancels the call. */
  schedule: (atMs: number, run: () => void) => () => void
  /** Resumes these tasks of one tree. Resolves with those that began. */
  resume: (rootId: TaskId, taskIds: TaskId[]) => Promise<TaskId[]>
  onProblem: (text: string, error: unknown) => void
}): QuotaSleep {
  const { ledger, clock } = deps
  const { state } = ledger
  const timers = new Map<TaskId, () => void>()
  /** By root: the agent that was woken first, until it was answered or has ended. */
  const probes = new Map<TaskId, TaskId>()
  /** Serializes all decisions, because each reads state that the previous one changes. */
  let queue: Promise<unknown> = Promise.resolve()
  let isClosed = false

  const unsubscribe = ledger.subscribe((records) => {
    for (const { event } of records) {
      if (event.type === 'task.interrupted') enqueue(() => onEnded(event.taskId, event.cause))
      else if (event.type === 'task.completed' || event.type === 'task.failed')
        enqueue(() => onAnswered(event.taskId))
      // A first run is that of an agent that was queued: the tree works, and those that sleep still do.
      else if (event.type === 'task.resumed' || (event.type === 'task.spawned' && event.run > 1))
        enqueue(() => onBegun(event.taskId))
    }
  })

  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(async () => {
      if (!isClosed) await work()
    })
    queue = queue.catch((error) => {
      // The next start sets the timers of unfinished wake-ups again.
      if (!isClosed)
        deps.onProblem(`A sleeping agent could not be woken: ${messageOf(error)}`, error)
    })
  }

  async function onEnded(taskId: TaskId, cause: Cause): Promise<void> {
    const task = state.tasks.get(taskId)
    const root = task && state.tasks.get(task.rootId)
    if (!task || !root) return
    const isProbe = probes.get(root.id) === taskId
    if (isProbe) probes.delete(root.id)
    if (cause.kind === 'stopped' && cause.by === 'person') return end(root, 'stopped')
    if (cause.kind !== 'quota' || cause.untilMs === null) {
      // The probe ended for a reason other than the quota, which the user has to resolve.
      if (isProbe && cause.kind !== 'closed') await end(root, 'not-answered')
      return
    }
    const { quotaWaits } = root.options
    if (quotaWaits === undefined || wasStopped(root)) return
    if (cause.untilMs - clock() > sleepMsMax) return end(root, 'too-long')
    const untilMs = Math.round(cause.untilMs + deps.random() * jitterMsMax)
    // Another agent of a sleeping tree shares its wait.
    const wait = root.sleep && !isProbe ? root.sleep.wait : (root.quotaWaitsUsed ?? 0) + 1
    if (wait > quotaWaits) return end(root, 'no-waits-left')
    if (root.sleep && !isProbe && Date.parse(root.sleep.until) >= untilMs) return
    await ledger.record({
      type: 'task.sleep-started',
      taskId: root.id,
      untilMs,
      wait,
      reason: cause.detail,
    })
    setTimer(root.id)
  }

  async function end(root: Task, because: SleepEnd): Promise<void> {
    timers.get(root.id)?.()
    timers.delete(root.id)
    probes.delete(root.id)
    if (state.tasks.get(root.id)?.sleep)
      await ledger.record({ type: 'task.sleep-ended', taskId: root.id, because })
  }

  /** An agent of a sleeping tree runs, and it was not woken here: the user resumed it. */
  async function onBegun(taskId: TaskId): Promise<void> {
    const root = rootOf(taskId)
    if (!root?.sleep || probes.has(root.id)) return
    await end(root, 'resumed')
  }

  function setTimer(rootId: TaskId): void {
    timers.get(rootId)?.()
    const sleep = state.tasks.get(rootId)?.sleep
    if (!sleep || isClosed) return
    const untilMs = Date.parse(sleep.until)
    const atMs = Math.min(untilMs, clock() + clockCheckMs)
    timers.set(
      rootId,
      deps.schedule(atMs, () => {
        if (clock() < untilMs) setTimer(rootId)
        else enqueue(() => probe(rootId))
      }),
    )
  }

  /** Wakes the deepest agent first, so that no agent above it finds it asleep. */
  async function probe(rootId: TaskId): Promise<void> {
    const root = state.tasks.get(rootId)
    if (!root?.sleep || probes.has(rootId)) return
    const [first] = sleepersOf(root, root.sleep)
    if (!first) return end(root, 'nobody-left')
    probes.set(rootId, first.id)
    if (!(await resumedAll(root, [first.id]))) await end(root, 'not-resumed')
  }

  /** Ends the sleep if the resume rejects, because the user has to resolve the failure. */
  async function resumedAll(root: Task, taskIds: TaskId[]): Promise<boolean> {
    try {
      return (await deps.resume(root.id, taskIds)).length === taskIds.length
    } catch (error) {
      await end(root, 'not-resumed')
      throw error
    }
  }

  /** Resumes the other agents once the probe was answered. */
  async function onAnswered(taskId: TaskId): Promise<void> {
    const root = rootOf(taskId)
    if (!root?.sleep || probes.get(root.id) !== taskId) return
    const others = sleepersOf(root, root.sleep).filter(({ id }) => id !== taskId)
    // The sleep ends last: after a crash in between, the next start wakes those that were not resumed.
    const ids = others.map(({ id }) => id)
    const areAwake = ids.length === 0 || (await resumedAll(root, ids))
    await end(root, areAwake ? 'woke' : 'not-resumed')
  }

  /** Returns the sleeping agents of the tree, deepest first. */
  function sleepersOf(root: Task, sleep: Sleep): Task[] {
    return [...state.tasks.values()]
      .filter((task) => task.rootId === root.id && isSleeper(task, sleep))
      .sort((a, b) => b.depth - a.depth || a.createdAt.localeCompare(b.createdAt))
  }

  const rootOf = (taskId: TaskId): Task | undefined => {
    const task = state.tasks.get(taskId)
    return task && state.tasks.get(task.rootId)
  }

  function sleeping(rootId: TaskId): Task {
    const root = state.tasks.get(rootId)
    if (!root?.sleep) return refused('not-running', `"${root?.title ?? rootId}" is not asleep.`)
    return root
  }

  return {
    start() {
      for (const { id, sleep } of state.tasks.values()) if (sleep) setTimer(id)
    },
    async wakeNow(rootId) {
      sleeping(rootId)
      enqueue(() => probe(rootId))
      await queue
    },
    async cancel(rootId) {
      await end(sleeping(rootId), 'cancelled')
    },
    async stopped(rootId) {
      const root = state.tasks.get(rootId)
      if (root?.sleep) await end(root, 'stopped')
    },
    answered: (taskId) => {
      if ([...probes.values()].includes(taskId)) enqueue(() => onAnswered(taskId))
    },
    close() {
      isClosed = true
      unsubscribe()
      for (const cancelTimer of timers.values()) cancelTimer()
      timers.clear()
    },
  }
}

type SleepEnd = Extract<LedgerEvent, { type: 'task.sleep-ended' }>['because']

/** Returns a scheduler based on `setTimeout`. The caller sets a timer that fired early again. */
export function scheduleByTimer(clock: () => number) {
  return (atMs: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, Math.max(0, atMs - clock()))
    timer.unref()
    return () => clearTimeout(timer)
  }
}
