import { acpMutants } from './acp.ts'
import { agentsMutants } from './agents.ts'
import { archiveMutants } from './archive.ts'
import { artifactsMutants } from './artifacts.ts'
import { checksMutants } from './checks.ts'
import { conversationsMutants } from './conversations.ts'
import { exportsMutants } from './exports.ts'
import { feedsMutants } from './feeds.ts'
import { gitMutants } from './git.ts'
import { hostsMutants } from './hosts.ts'
import { importsMutants } from './imports.ts'
import { journalMutants } from './journal.ts'
import { limitsMutants } from './limits.ts'
import { logMutants } from './log.ts'
import { modelsMutants } from './models.ts'
import { movedProjectsMutants } from './moved-projects.ts'
import type { Mutant } from './mutant.ts'
import { openFoldersMutants } from './open-folders.ts'
import { permissionsMutants } from './permissions.ts'
import { processesMutants } from './processes.ts'
import { projectionsMutants } from './projections.ts'
import { recordMutants } from './record.ts'
import { replayMutants } from './replay.ts'
import { retentionMutants } from './retention.ts'
import { runsMutants } from './runs.ts'
import { searchMutants } from './search.ts'
import { tasksMutants } from './tasks.ts'
import { toolsMutants } from './tools.ts'
import { turnStoreMutants } from './turn-store.ts'
import { windowMutants } from './window.ts'
import { workspacesMutants } from './workspaces.ts'

export const mutants: Mutant[] = [
  ...journalMutants,
  ...artifactsMutants,
  ...archiveMutants,
  ...workspacesMutants,
  ...movedProjectsMutants,
  ...retentionMutants,
  ...tasksMutants,
  ...hostsMutants,
  ...exportsMutants,
  ...importsMutants,
  ...feedsMutants,
  ...gitMutants,
  ...openFoldersMutants,
  ...projectionsMutants,
  ...replayMutants,
  ...recordMutants,
  ...agentsMutants,
  ...toolsMutants,
  ...modelsMutants,
  ...acpMutants,
  ...conversationsMutants,
  ...permissionsMutants,
  ...limitsMutants,
  ...turnStoreMutants,
  ...runsMutants,
  ...processesMutants,
  ...logMutants,
  ...checksMutants,
  ...searchMutants,
  ...windowMutants,
]
