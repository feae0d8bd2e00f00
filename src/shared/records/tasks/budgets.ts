/** Limits on the use of a tree of agents before a user is asked (Q2). A budget belongs to a root and its whole tree. */
import { z } from 'zod'

export const budgetParts = ['usd', 'tokens', 'minutes'] as const
export const budgetPartSchema = z.enum(budgetParts)
export type BudgetPart = z.infer<typeof budgetPartSchema>

/** An absent part has no limit. */
export const budgetSchema = z.object({
  /** US dollars, as reported by the agent or from Shiplog's list of prices. */
  usd: z.number().positive().max(1_000_000).optional(),
  /** Input, cached or not, and output. */
  tokens: z.number().int().positive().max(1_000_000_000_000).optional(),
  /** The time in which at least one agent of the tree is running. */
  minutes: z.number().positive().max(1_000_000).optional(),
  /** The user accepts that a part of the tree has no price and does not count. */
  allowUnpriced: z.literal(true).optional(),
})
export type Budget = z.infer<typeof budgetSchema>

/**
 * `near`: 80% are used. `spent`: all is used, so the tree waits for a user. `unpriced`: the use can't be compared with
 * the limit, so the tree waits as well.
 */
export const budgetLevelSchema = z.enum(['near', 'spent', 'unpriced'])
export type BudgetLevel = z.infer<typeof budgetLevelSchema>

/** A notice is given from this share on. */
export const nearShare = 0.8

/** Reports whether the budget limits any part. */
export const hasLimit = (budget: Budget | null | undefined): budget is Budget =>
  budget != null && budgetParts.some((part) => budget[part] !== undefined)

/** Reports whether `a` permits a use that `b` does not. */
export const isWiderBudget = (a: Budget | null, b: Budget | null): boolean =>
  budgetParts.some((part) => (a?.[part] ?? Infinity) > (b?.[part] ?? Infinity)) ||
  (a?.allowUnpriced === true && b?.usd !== undefined && b.allowUnpriced !== true)
