/** Which agents of a tree that waits for a spent quota go on by themselves (Q1). Pure. */
import { isStoppedByPerson } from '../../records/causes.ts'
import type { Task } from '../../records/tasks.ts'

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
