/** The options of a tree of tasks, and their limits. */

import { z } from 'zod'
import { permissionModeSchema } from '../../agents/permission-modes.ts'
import { variableNameSchema } from '../projects/projects.ts'
import { budgetSchema } from './budgets.ts'

/** Limits on the number of agents and the depth of a tree (T5). */
export const agentsAtOnceDefault = 3
export const agentsAtOnceMax = 16
export const taskDepthMax = 5

/** Ten days of waiting for a five-hour limit, which resets about five times a day. */
export const quotaWaitsMax = 50

export const treeOptionsSchema = z.object({
  /** How many agents of the tree work at the same time. One that only waits for others does not count (T5). */
  agentsAtOnce: z.number().int().min(1).max(agentsAtOnceMax),
  /** True: workspaces of finished sub-agents are kept until the user removes them. */
  keep: z.boolean(),
  /** Names of secret variables of the host that its agents get (`--env`). */
  env: z.array(variableNameSchema).optional(),
  /** Overrides the project's mode of permissions (`--permissions`). Scripted agents have none unless it is set. */
  permissions: permissionModeSchema.optional(),
  /** Only on a root: the budget of its whole tree (Q2); absent: no limit. */
  budget: budgetSchema.optional(),
  /** Only on a root: how many times its tree waits for a spent quota and then continues automatically (Q1); absent: never. */
  quotaWaits: z.number().int().min(1).max(quotaWaitsMax).optional(),
  /** Only on a root: its agents may read the record of their sub-agents (A5). */
  readsRecord: z.literal(true).optional(),
})
