/** The statuses of a task (T), and what each allows. */

import { z } from 'zod'

/**
 * `completed` is final for a sub-agent's task (T4). A root is a conversation: there it means that the last run ended
 * well, and a follow-up starts the next one (T7).
 */
export const taskStatuses = [
  'queued',
  'spawned',
  'blocked',
  'completed',
  'interrupted',
  'resumed',
  'failed',
  'cancelled',
  'abandoned',
] as const

export const taskStatusSchema = z.enum(taskStatuses)
export type TaskStatus = z.infer<typeof taskStatusSchema>

export const isRunning = (status: TaskStatus): boolean =>
  status === 'spawned' || status === 'resumed'

/** The task neither runs nor waits: only a request changes it. */
export const isSettled = (status: TaskStatus): boolean =>
  !isRunning(status) && status !== 'queued' && status !== 'blocked'

/** The task can be resumed, queued again or retried, as long as its workspace exists. */
export const canStillRun = (status: TaskStatus): boolean =>
  ['interrupted', 'queued', 'blocked', 'failed'].includes(status)
