import { z } from 'zod'
import {
  pendingPermissionSchema,
  permissionDecisionSchema,
  permissionScopeSchema,
  permissionSettingsSchema,
} from '../agents/permissions.ts'
import { base } from './base.ts'

const scope = z.object({ scope: permissionScopeSchema })

export const permissions = {
  /** The questions of agents that wait for a person, the oldest first. */
  list: base.output(z.object({ questions: z.array(pendingPermissionSchema) })),
  /** NOT_FOUND: it was answered elsewhere, or its run has ended. INVALID: the rules would not have allowed it. */
  answer: base
    .input(z.object({ id: z.string(), decision: permissionDecisionSchema }))
    .output(z.object({})),
  settings: base.input(scope).output(permissionSettingsSchema),
  /** What waits and is allowed by then goes on. INVALID: a rule can't be read. */
  setSettings: base
    .input(scope.extend({ settings: permissionSettingsSchema }))
    .output(z.object({})),
}
