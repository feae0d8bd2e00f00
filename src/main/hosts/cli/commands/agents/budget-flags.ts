/** Converts `--budget-…` to the budget of a tree. */
import type { Budget } from '../../../../../shared/records/tasks/budgets.ts'

export interface BudgetFlags {
  budgetUsd?: number
  budgetTokens?: number
  budgetMinutes?: number
}

/** Returns undefined if no flag was given. */
export function budgetOf({
  budgetUsd,
  budgetTokens,
  budgetMinutes,
}: BudgetFlags): Budget | undefined {
  const budget: Budget = {
    ...(budgetUsd !== undefined && { usd: budgetUsd }),
    ...(budgetTokens !== undefined && { tokens: budgetTokens }),
    ...(budgetMinutes !== undefined && { minutes: budgetMinutes }),
  }
  return Object.keys(budget).length > 0 ? budget : undefined
}
