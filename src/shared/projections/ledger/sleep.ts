/** Which agents of a tree that waits for a spent quota continue by themselves (Q1). Pure. */
import { type Cause, isStoppedByPerson } from '../../records/causes.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'

/** A provider that names a time further away is waited for by the person. */
export const sleepMsMax = 8 * 24 * 3_600_000

export type Sleep = NonNullable<Task['sleep']>

type Sleeper = Pick<Task, 'status' | 'archived' | 'cause' | 'endedAt'>

/** It stopped with the quota, or since then by a crash; not because of the person. */
export const isSleeper = (task: Sleeper, sleep: Sleep): boolean =>
  task.status === 'interrupted' &&
  !task.archived &&
  (task.cause?.kind === 'quota' ||
    (task.endedAt !== null && task.endedAt >= sleep.since && !isStoppedByPerson(task.cause)))

/** Until when it sleeps, and why; null: it does not. `root`: of its tree. */
export const sleepOf = (
  task: Sleeper,
  root: Pick<Task, 'sleep'> | null | undefined,
): Sleep | null => (root?.sleep && isSleeper(task, root.sleep) ? root.sleep : null)

/** The person stopped the tree of `root`, and it is not woken. */
export const wasStopped = (root: Pick<Task, 'status' | 'cause'>): boolean =>
  !isRunning(root.status) && isStoppedByPerson(root.cause)

/**
 * Whether the tree of `root`, which does not sleep, begins to because one of its agents ended with `cause`. `nowMs`: at
 * that moment.
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
