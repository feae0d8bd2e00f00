/**
 * Which cards repeat a report: it is told at the `task` card and again at each `task_await`, and is read
 * once. Pure.
 */
import { createContext } from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import type { AwaitedTask } from '../../../shared/tools.ts'
import type { Row } from './rows.ts'

/**
 * `always`: an earlier card was told the very same. `newest`: an earlier card shows the task's newest
 * report, so this one repeats it if it was told that one.
 */
type Repetition = 'always' | 'newest'

/** By the card's fold key. */
type RepeatedReports = ReadonlyMap<string, Repetition>

export const RepeatedReportsContext = createContext<RepeatedReports>(new Map())

/** The fold key of the card that a `task_await` shows for one of its results. */
export const awaitedKey = (callId: string, taskId: TaskId): string => `${callId}:${taskId}`

export function repeatedReports(rows: readonly Row[]): RepeatedReports {
  const repeated = new Map<string, Repetition>()
  const told = new Set<string>()
  const cards = new Set<TaskId>()
  for (const row of rows) {
    if (row.kind !== 'call' || row.call.detail?.kind !== 'tasks') continue
    const { name, callId, detail } = row.call
    for (const result of detail.tasks) {
      if (name === 'task_await' && result.report) {
        const key = awaitedKey(callId, result.taskId)
        if (told.has(words(result))) repeated.set(key, 'always')
        else if (cards.has(result.taskId)) repeated.set(key, 'newest')
      }
      if (name === 'task' && !result.report) cards.add(result.taskId)
      if (result.report) told.add(words(result))
    }
  }
  return repeated
}

const words = ({ taskId, report }: AwaitedTask): string =>
  JSON.stringify([taskId, report?.title, report?.markdown])
