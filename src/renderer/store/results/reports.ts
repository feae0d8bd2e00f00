/**
 * A cache of reports, so that a card shows its report again at once. Bounded: the oldest are
 * dropped.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Report } from '../../../shared/records/tasks/reports.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** A report takes some kilobytes, so this takes a few megabytes at most. */
const reportsKeptMax = 200

export type ReportView =
  | { phase: 'loading' }
  | { phase: 'ready'; report: Report }
  | { phase: 'failed'; problem: Problem }

export interface Reports {
  /** By `reportKey`. */
  store: StoreApi<ReadonlyMap<string, ReportView>>
  /** Reads the report unless it is cached or being read; a failed read is tried again. */
  load(taskId: TaskId, run: number): Promise<void>
}

/** A task has a report for each of its runs (A4). */
export const reportKey = (taskId: TaskId, run: number): string => `${taskId}/${run}`

export function createReports({ client }: { client: Pick<ShiplogClient, 'tasks'> }): Reports {
  const store = createStore<ReadonlyMap<string, ReportView>>(() => new Map())

  function set(key: string, view: ReportView): void {
    const next = new Map(store.getState())
    next.delete(key)
    next.set(key, view)
    for (const oldest of [...next.keys()].slice(0, Math.max(0, next.size - reportsKeptMax)))
      next.delete(oldest)
    store.setState(next, true)
  }

  async function load(taskId: TaskId, run: number): Promise<void> {
    const key = reportKey(taskId, run)
    const known = store.getState().get(key)
    if (known && known.phase !== 'failed') return
    set(key, { phase: 'loading' })
    try {
      // Reads the newest report: a run that ended without one leaves the previous report valid.
      const report = await client.tasks.report({ taskId })
      set(key, { phase: 'ready', report })
    } catch (error) {
      set(key, { phase: 'failed', problem: problemOf(error, 'read the report') })
    }
  }

  return { store, load }
}
