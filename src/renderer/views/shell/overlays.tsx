import { useOverlay } from '../../store/hooks.ts'
import { NewAgentDialog } from '../agents/new-agent-dialog.tsx'
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx'
import { ExportDialog } from '../export/export-dialog.tsx'
import { ImportDialog } from '../imports/import-dialog.tsx'
import { FetchAgentDialog } from '../installed/fetch-agent-dialog.tsx'
import { OwnAgentDialog } from '../installed/own-agent-dialog.tsx'
import { KeysDialog } from '../keys/keys-dialog.tsx'
import { BudgetDialog } from '../limits/budget-dialog.tsx'
import { ProviderDialog } from '../models/provider-dialog.tsx'
import { Palette } from '../palette/palette.tsx'
import { AddProjectDialog } from '../projects/add-project-dialog.tsx'
import { ProjectSettingsDialog } from '../projects/project-settings-dialog.tsx'
import { RemoveProjectDialog } from '../projects/remove-project-dialog.tsx'
import { ContinueDialog } from '../resume/continue-dialog.tsx'
import { FollowUpDialog } from '../resume/follow-up-dialog.tsx'
import { ResumeDialog } from '../resume/resume-dialog.tsx'
import { CommitDialog } from '../review/commit-dialog.tsx'
import { LinkPullRequestDialog } from '../task/link-pull-request-dialog.tsx'
import { RenameDialog } from '../task/rename-dialog.tsx'

/** The open dialog among those without an address of their own. */
export function Overlays() {
  const overlay = useOverlay()
  switch (overlay.kind) {
    case 'none':
      return null
    case 'confirm':
      return <ConfirmDialog confirmation={overlay.confirmation} />
    case 'add-project':
      return <AddProjectDialog />
    case 'project-settings':
      return <ProjectSettingsDialog projectId={overlay.projectId} />
    case 'provider':
      return <ProviderDialog {...overlay} />
    case 'own-agent':
      return <OwnAgentDialog {...overlay} />
    case 'fetch-agent':
      return <FetchAgentDialog {...overlay} />
    case 'remove-project':
      return <RemoveProjectDialog projectId={overlay.projectId} />
    case 'new-agent':
      return <NewAgentDialog {...overlay} />
    case 'resume':
      return <ResumeDialog target={overlay.target} found={overlay.found} choice={overlay.choice} />
    case 'rename':
      return <RenameDialog taskId={overlay.taskId} />
    case 'budget':
      return <BudgetDialog taskId={overlay.taskId} />
    case 'export':
      return <ExportDialog taskId={overlay.taskId} />
    case 'commit':
      return <CommitDialog taskId={overlay.taskId} base={overlay.base} />
    case 'link-pull-request':
      return <LinkPullRequestDialog taskId={overlay.taskId} />
    case 'follow-up':
      return <FollowUpDialog {...overlay} />
    case 'continue-from':
      return <ContinueDialog {...overlay} />
    case 'import':
      return <ImportDialog />
    case 'palette':
      return <Palette />
    case 'keys':
      return <KeysDialog />
  }
}
