/** The usage of a tree so far: of ended runs from the ledger, of running ones from their reports. Pure. */

import type { TaskId } from '../../records/ids.ts'
import type { Budget, BudgetPart } from '../../records/tasks/budgets.ts'
import { budgetParts } from '../../records/tasks/budgets.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { addUsage, noUsage, type Usage } from '../../records/usage.ts'

/** The usage so far of a run that has not ended. */
export interface RunUsage {
  run: number
  usage: Usage
}
export type UsageOfRuns = ReadonlyMap<TaskId, RunUsage>

/** Returns the usage of one task. The reports of a run count until the ledger has the end of the run. */
export function usageOfTask(
  task: Pick<Task, 'id' | 'status' | 'runs' | 'usage'>,
  live: UsageOfRuns,
) {
  const now = isRunning(task.status) ? live.get(task.id) : undefined
  return now && now.run === task.runs.at(-1)?.run ? addUsage(task.usage, now.usage) : task.usage
}

export function usageOfTasks(tasks: Iterable<Task>, live: UsageOfRuns): Usage {
  let sum = noUsage
  for (const task of tasks) sum = addUsage(sum, usageOfTask(task, live))
  return sum
}

/**
 * Returns the milliseconds in which at least one of the tasks ran, without the pauses because of the budget. `pauses`: of
 * the root.
 */
export function timeAtWork(
  tasks: Iterable<Task>,
  pauses: Task['budgetPauses'],
  nowMs: number,
): number {
  const moments = (from: string, to: string | null) => ({
    from: Date.parse(from),
    to: to === null ? nowMs : Date.parse(to),
  })
  const spans = [...tasks]
    .flatMap(({ runs }) => runs.map(({ startedAt, endedAt }) => moments(startedAt, endedAt)))
    .sort((a, b) => a.from - b.from)
  const paused = (pauses ?? []).map(({ from, to }) => moments(from, to))
  let sum = 0
  let end = Number.NEGATIVE_INFINITY
  for (const span of spans) {
    const from = Math.max(span.from, end)
    if (span.to <= from) continue
    sum += span.to - from
    for (const pause of paused)
      sum -= Math.max(0, Math.min(span.to, pause.to) - Math.max(from, pause.from))
    end = span.to
  }
  return sum
}

export interface PartUsed {
  part: BudgetPart
  used: number
  limit: number
}

/** Returns the use of each limited part, the most used first. */
export function budgetUse(budget: Budget, usage: Usage, workedMs: number): PartUsed[] {
  const used = {
    usd: usage.costUsd ?? 0,
    tokens: usage.inputTokens + usage.outputTokens,
    minutes: workedMs / 60_000,
  }
  return budgetParts
    .flatMap((part): PartUsed[] => {
      const limit = budget[part]
      return limit === undefined ? [] : [{ part, used: used[part], limit }]
    })
    .sort((a, b) => b.used / b.limit - a.used / a.limit)
}
