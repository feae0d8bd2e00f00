/** Calls that several views make; each shows its outcome in one toast. */

import type { Stores } from '../../store/stores.ts'
import { type AgentActions, createAgentActions } from './actions/agent-actions.ts'
import { type ApplyActions, createApplyActions } from './actions/apply-actions.ts'
import { createRetentionActions, type RetentionActions } from './actions/retention-actions.ts'
import { createTrashActions, type TrashActions } from './actions/trash-actions.ts'
import { createWindowActions, type WindowActions } from './actions/window-actions.ts'
import { createWorkspaceActions, type WorkspaceActions } from './actions/workspace-actions.ts'

export interface Actions
  extends AgentActions,
    ApplyActions,
    RetentionActions,
    TrashActions,
    WindowActions,
    WorkspaceActions {}

export const createActions = (stores: Stores): Actions => ({
  ...createAgentActions(stores),
  ...createApplyActions(stores),
  ...createRetentionActions(stores),
  ...createTrashActions(stores),
  ...createWindowActions(stores),
  ...createWorkspaceActions(stores),
})
