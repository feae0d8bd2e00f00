/** Determines which agents of a tree that waits for a spent quota continue automatically (Q1). Pure. */
import { type Cause, isStoppedByPerson } from '../../records/causes.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'

/** The longest automatic wait for a quota. */
export const sleepMsMax = 8 * 24 * 3_600_000

export type Sleep = NonNullable<Task['sleep']>

type Sleeper = Pick<Task, 'status' | 'archived' | 'cause' | 'endedAt'>

/** Reports whether it was stopped by the quota, or by a crash since then, but not by the user. */
export const isSleeper = (task: Sleeper, sleep: Sleep): boolean =>
  task.status === 'interrupted' &&
  !task.archived &&
  (task.cause?.kind === 'quota' ||
    (task.endedAt !== null && task.endedAt >= sleep.since && !isStoppedByPerson(task.cause)))

/** Returns the sleep of the task; null if it does not sleep. `root`: of its tree. */
export const sleepOf = (
  task: Sleeper,
  root: Pick<Task, 'sleep'> | null | undefined,
): Sleep | null => (root?.sleep && isSleeper(task, root.sleep) ? root.sleep : null)

/** Reports whether the user stopped the tree of `root`, so that it is not woken. */
export const wasStopped = (root: Pick<Task, 'status' | 'cause'>): boolean =>
  !isRunning(root.status) && isStoppedByPerson(root.cause)

/**
 * Reports whether the tree of `root`, which does not sleep, starts to sleep because one of its agents ended at `nowMs`
 * with `cause`.
 */
export const startsSleep = (
  root: Pick<Task, 'status' | 'cause' | 'options' | 'quotaWaitsUsed'>,
  cause: Cause,
  nowMs: number,
): boolean =>
  cause.kind === 'quota' &&
  cause.untilMs !== null &&
  cause.untilMs - nowMs <= sleepMsMax &&
  (root.quotaWaitsUsed ?? 0) < (root.options.quotaWaits ?? 0) &&
  !wasStopped(root)
