/** What a tree used so far: the runs that have ended by the ledger, those that run by what they reported. Pure. */

import type { TaskId } from '../../records/ids.ts'
import type { Budget, BudgetPart } from '../../records/tasks/budgets.ts'
import { budgetParts } from '../../records/tasks/budgets.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { addUsage, noUsage, type Usage } from '../../records/usage.ts'

/** What a run that has not ended used so far. */
export interface RunUsage {
  run: number
  usage: Usage
}
export type UsageOfRuns = ReadonlyMap<TaskId, RunUsage>

/** Usage of one task. What a run has reported counts until the ledger holds the run's end. */
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
 * Milliseconds in which at least one of the tasks ran, less the pauses of the budget's own. `pauses`: of the root.
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

/** How far each limited part is used, the furthest first. */
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
