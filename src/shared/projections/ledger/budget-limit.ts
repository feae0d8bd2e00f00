/** The limit that a tree has reached, and what a person may raise it to (Q2). Pure. */
import type { Budget, BudgetLevel, BudgetPart } from '../../records/tasks/budgets.ts'
import type { Task } from '../../records/tasks/tasks.ts'

export interface ReachedLimit {
  part: BudgetPart
  level: Exclude<BudgetLevel, 'near'>
  /** In the unit of the part. */
  used: number
  limit: number
  /** When it was recorded. */
  at: string
  budget: Budget
}

/** Null: its agents are not held up by a budget. `task`: a root. */
export function reachedLimit({ budgetReached, options: { budget } }: Task): ReachedLimit | null {
  for (const { part, level, used, at } of budgetReached ?? []) {
    const limit = budget?.[part]
    if (level === 'near' || !budget || limit === undefined) continue
    return { part, level, used, limit, at, budget }
  }
  return null
}

/** Twice of what is used or allowed, so that the next question is some time away. */
export function raisedAmount({ part, used, limit }: ReachedLimit): number {
  const amount = Math.max(limit, used)
  return part === 'usd' ? Math.ceil(amount * 200) / 100 : Math.ceil(amount * 2)
}
