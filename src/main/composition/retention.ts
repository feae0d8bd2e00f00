/** Creates the retention service and connects it to the notices. */

import { formatSweep } from '../retention/format-sweep.ts'
import { createRetention } from '../retention/retention.ts'
import { settingsFromEnvironment } from '../retention/settings.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { Foundation } from './foundation.ts'
import type { Notices } from './notices.ts'

export async function openRetention(
  common: Foundation,
  { workspaces, notices }: { workspaces: WorkspaceService; notices: Notices },
) {
  const retention = await createRetention({
    ...common,
    override: settingsFromEnvironment(process.env),
    workspaces,
    onSwept: (sweep) =>
      notices.swept(
        formatSweep(sweep, retention.settings()),
        sweep.removed.some((item) => item.kind === 'transcript')
          ? (sweep.receipt ?? undefined)
          : undefined,
      ),
    onUndone: notices.withdraw,
    onSettingsLost: notices.settingsLost,
    onClockAhead: notices.clockAhead,
    onClockConfirmed: notices.clockConfirmed,
  })
  return retention
}
