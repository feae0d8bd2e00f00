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
  /** Lists the pending questions of agents, oldest first. */
  list: base.output(z.object({ questions: z.array(pendingPermissionSchema) })),
  /** NOT_FOUND: it was answered elsewhere, or its run has ended. INVALID: the rules don't cover it. */
  answer: base
    .input(z.object({ id: z.string(), decision: permissionDecisionSchema }))
    .output(z.object({})),
  settings: base.input(scope).output(permissionSettingsSchema),
  /**
   * Returns the settings as saved. `before`: the settings from which `settings` were edited; rules added or removed
   * elsewhere since are kept so. Absent: `settings` replaces all. Pending questions that are now allowed are answered.
   * INVALID: a rule can't be read.
   */
  setSettings: base
    .input(
      scope.extend({
        settings: permissionSettingsSchema,
        before: permissionSettingsSchema.optional(),
      }),
    )
    .output(permissionSettingsSchema),
}
