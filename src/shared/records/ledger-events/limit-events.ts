/** Events of budgets and spent quotas. */
import { z } from 'zod'
import { taskIdSchema } from '../ids.ts'
import { budgetLevelSchema, budgetPartSchema, budgetSchema } from '../tasks/budgets.ts'

export const limitEventSchemas = [
  /** The person gave a root another budget; null: none. What was reached of the one before no longer counts. */
  z.object({
    type: z.literal('task.budget-set'),
    taskId: taskIdSchema,
    budget: budgetSchema.nullable(),
  }),
  /** Its tree used this much of its budget (Q2). But for `near`, its agents wait from here on. */
  z.object({
    type: z.literal('task.budget-reached'),
    taskId: taskIdSchema,
    part: budgetPartSchema,
    level: budgetLevelSchema,
    used: z.number(),
  }),
  /** The tree of a root waits for a spent quota, and is woken at that time (Q1). Again while it does: until later. */
  z.object({
    type: z.literal('task.sleep-started'),
    taskId: taskIdSchema,
    /** Milliseconds since the epoch. */
    untilMs: z.number(),
    /** What the provider said. */
    reason: z.string(),
    /** From 1. */
    wait: z.number().int().min(1),
  }),
  z.object({
    type: z.literal('task.sleep-ended'),
    taskId: taskIdSchema,
    /**
     * `woke`: one agent was answered, and the others continue. `resumed`: the person took it up. After all others it
     * stays interrupted.
     */
    because: z.enum([
      ...['woke', 'resumed', 'cancelled', 'stopped', 'nobody-left'],
      ...['no-waits-left', 'too-long', 'not-answered', 'not-resumed'],
    ] as const),
  }),
] as const
