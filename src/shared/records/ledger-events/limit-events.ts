/** Events of budgets and spent quotas. */
import { z } from 'zod'
import { taskIdSchema } from '../ids.ts'
import { budgetLevelSchema, budgetPartSchema, budgetSchema } from '../tasks/budgets.ts'

export const limitEventSchemas = [
  /** The user set the budget of a root; null: none. Levels reached in the previous budget no longer count. */
  z.object({
    type: z.literal('task.budget-set'),
    taskId: taskIdSchema,
    budget: budgetSchema.nullable(),
  }),
  /** The use of a root's budget by its tree (Q2). Except for `near`, its agents wait from now on. */
  z.object({
    type: z.literal('task.budget-reached'),
    taskId: taskIdSchema,
    part: budgetPartSchema,
    level: budgetLevelSchema,
    used: z.number(),
  }),
  /** The tree of a root waits for a spent quota until `untilMs` (Q1). A repeated event extends the wait. */
  z.object({
    type: z.literal('task.sleep-started'),
    taskId: taskIdSchema,
    /** Milliseconds since the epoch. */
    untilMs: z.number(),
    /** The provider's message. */
    reason: z.string(),
    /** From 1. */
    wait: z.number().int().min(1),
  }),
  z.object({
    type: z.literal('task.sleep-ended'),
    taskId: taskIdSchema,
    /**
     * `woke`: one agent got an answer, and the others continue. `resumed`: by the user. After all others the tree
     * stays interrupted.
     */
    because: z.enum([
      'woke',
      'resumed',
      'cancelled',
      'stopped',
      'nobody-left',
      'no-waits-left',
      'too-long',
      'not-answered',
      'not-resumed',
    ] as const),
  }),
] as const
