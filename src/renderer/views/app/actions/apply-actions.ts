import type { ApplyOutcome } from '../../../../shared/agents/tools.ts'
import type { ChangeSelection } from '../../../../shared/contract/changes/changes.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../components/primitives/format.ts'
import { toast } from '../../../components/primitives/index.ts'
import type { Stores } from '../../../store/stores.ts'
import { taskRoute } from '../../../store/window/route.ts'
import { readShownMs, showProblem } from '../toasts.ts'

export interface ApplyActions {
  /**
   * Applies a task's changes. `target`: where they go, as named on the button that was pressed. `selection`: only
   * these files and hunks. The toast shows the outcome, and so does the view of these changes.
   */
  applyPatch(taskId: TaskId, target?: string, selection?: ChangeSelection): Promise<void>
  /** Undoes the newest apply, unless its files changed since. */
  undoApply(taskId: TaskId): Promise<void>
}

export function createApplyActions({
  applies,
  ledger,
  navigation,
  preferences,
}: Pick<Stores, 'applies' | 'ledger' | 'navigation' | 'preferences'>): ApplyActions {
  /** Opens the inspector's tab with the applied files, and with those that prevent an undo. */
  function showChanges(taskId: TaskId): void {
    preferences.setState({ inspectorTab: 'changes', inspectorOpen: true })
    navigation.go(taskRoute(taskId))
  }

  async function undoApply(taskId: TaskId): Promise<void> {
    const view = await applies.undo(taskId)
    switch (view.kind) {
      case 'failed':
        return showProblem(view.problem)
      case 'undone':
        toast.dismiss(appliedToast(taskId))
        toast.success(`Undone. ${counted(view.files, 'file is', 'files are')} as before.`)
        return
      case 'changed-since':
        toast.warning(
          `${counted(view.paths.length, 'file was', 'files were')} changed after the apply. Nothing was undone.`,
          { action: { label: 'Show', onClick: () => showChanges(taskId) } },
        )
    }
  }

  return {
    undoApply,
    async applyPatch(taskId, target, selection) {
      const view = await applies.apply(taskId, selection)
      if (view.kind === 'failed') showProblem(view.problem)
      else if (view.kind !== 'applying' && view.kind !== 'undoing') {
        const task = ledger.store.getState().ledger.tasks.get(taskId)
        showApplied(view, target ?? (task ? targetName(task) : 'its target'), {
          id: appliedToast(taskId),
          undo: () => void undoApply(taskId),
          show: () => showChanges(taskId),
        })
      }
    },
  }
}

/** The toast of the newest apply offers its undo, so it goes once that is done. */
const appliedToast = (taskId: TaskId): string => `applied ${taskId}`

/** `target`: where the changes were applied, uncommitted. */
function showApplied(
  outcome: ApplyOutcome,
  target: string,
  { id, undo, show }: { id: string; undo(): void; show(): void },
): void {
  switch (outcome.kind) {
    case 'applied':
      toast.success(
        `Applied to ${target}: ${counted(outcome.files.length, 'file')} changed, not committed.`,
        {
          id,
          description: outcome.converted
            ? `Git wrote ${counted(outcome.converted.length, 'file')} with the line endings or keywords that .gitattributes specifies.`
            : undefined,
          duration: readShownMs,
          action: { label: 'Undo', onClick: undo },
          cancel: { label: 'Show', onClick: show },
        },
      )
      return
    case 'nothing-to-apply':
      toast('Nothing to apply: no files were changed.')
      return
    case 'already-applied':
      toast('These changes are already applied.')
      return
    case 'conflict':
      // The inspector lists the files and Git's messages.
      toast.warning(`Conflicts in ${counted(outcome.paths.length, 'file')}. Nothing was changed.`, {
        action: { label: 'Show', onClick: show },
      })
  }
}

/**
 * Returns the name of the target of a task's changes: the project's branch for a root, or its folder if there is no
 * branch. A sub-agent's target is described and not named, because the branch of its parent has a generated name.
 */
export const targetName = ({ parentId, projectDir }: Task, branch?: string | null): string =>
  parentId
    ? 'the parent’s worktree'
    : (branch ?? projectDir.split(/[\\/]/).findLast((part) => part !== '') ?? projectDir)
