import { z } from 'zod'
import { budgetSchema } from '../records/tasks/budgets.ts'
import { quotaWaitsMax } from '../records/tasks/tree-options.ts'
import { base } from './base.ts'

/** The default limits of new trees. */
export const limitSettingsSchema = z.object({
  /** Null: no limit. */
  budget: budgetSchema.nullable(),
  /** How many times a tree waits for a spent quota and then continues automatically; 0: never (Q1). */
  quotaWaits: z.number().int().min(0).max(quotaWaitsMax).default(0),
  /** Agents may read the record of their sub-agents; absent: they may not. */
  readsRecord: z.boolean().optional(),
})
export type LimitSettings = z.infer<typeof limitSettingsSchema>

export const limits = {
  settings: base.output(limitSettingsSchema),
  /** Durable when it resolves. Applies to trees that are started later. */
  setSettings: base.input(limitSettingsSchema).output(z.object({})),
}
