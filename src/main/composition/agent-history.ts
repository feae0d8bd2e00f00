/** Assembles the planning files of a project from its workspaces' changes and reports. */

import { createAgentHistory } from '../tasks/agent-history/agent-history.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { Foundation } from './foundation.ts'
import type { Notices } from './notices.ts'

export function openAgentHistory(
  common: Foundation,
  { workspaces, notices }: { workspaces: WorkspaceService; notices: Notices },
) {
  return createAgentHistory({
    ...common,
    changedPaths: async ({ id }) => (await workspaces.diff(id)).files.map(({ path }) => path),
    reportedResults: async ({ id, trashed }) => {
      if (trashed) return null
      const found = await workspaces.records.findReport(id)
      return found.kind === 'found' ? found.taskResults : null
    },
    onNotice: notices.warning,
  })
}
