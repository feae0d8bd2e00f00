/** The limit that a tree has reached, and the amount to which the user can raise it (Q2). Pure. */
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

/** Returns the limit for which the agents of a root wait; null if they don't wait for a budget. */
export function reachedLimit({ budgetReached, options: { budget } }: Task): ReachedLimit | null {
  for (const { part, level, used, at } of budgetReached ?? []) {
    const limit = budget?.[part]
    if (level === 'near' || !budget || limit === undefined) continue
    return { part, level, used, limit, at, budget }
  }
  return null
}

/** Returns twice the used or allowed amount, so that the user is not asked again soon. */
export function raisedAmount({ part, used, limit }: ReachedLimit): number {
  const amount = Math.max(limit, used)
  return part === 'usd' ? Math.ceil(amount * 200) / 100 : Math.ceil(amount * 2)
}
