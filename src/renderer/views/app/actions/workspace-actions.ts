import type { TaskId } from '../../../../shared/records/ids.ts'
import { counted } from '../../../components/primitives/format.ts'
import { toast } from '../../../components/primitives/index.ts'
import { problemOf } from '../../../rpc/problem.ts'
import type { Stores } from '../../../store/stores.ts'
import { taskRoute } from '../../../store/window/route.ts'
import { attempt, readShownMs, showProblem } from '../toasts.ts'

export interface WorkspaceActions {
  /** Removes the workspace to the archive; the toast of a root offers to undo it. Resolves to false if it failed. */
  removeWorkspace(taskId: TaskId, title: string): Promise<boolean>
  /** Restores a root from the archive. */
  restore(taskId: TaskId, title: string): Promise<void>
  openFolder(taskId: TaskId, program: 'editor' | 'file-manager'): Promise<void>
}

export function createWorkspaceActions({
  client,
  ledger,
  navigation,
}: Pick<Stores, 'client' | 'ledger' | 'navigation'>): WorkspaceActions {
  async function restore(taskId: TaskId, title: string): Promise<void> {
    const restored = await attempt('restore the workspace', () =>
      client.workspace.restore({ workspaceId: taskId }),
    )
    if (!restored) return
    navigation.go(taskRoute(taskId))
    const below = restored.restored.length - 1
    const said = `Restored “${title}” with its worktree${below > 0 ? ` and ${counted(below, 'sub-agent')}` : ''}.`
    if (restored.left.length === 0) toast.success(said)
    else
      toast.warning(
        `${said} ${restored.left.length} could not be restored, and ${restored.left.length === 1 ? 'is' : 'are'} still in the archive.`,
        {
          description: restored.left.map((one) => `${one.title}: ${one.why}`).join('\n'),
          duration: readShownMs,
        },
      )
  }

  /** If Git does not list the worktree, the toast offers to discard it. */
  async function removeOrAsk(taskId: TaskId): Promise<'removed' | 'failed'> {
    try {
      await client.workspace.remove({ workspaceId: taskId })
      return 'removed'
    } catch (error) {
      const problem = problemOf(error, 'remove the workspace')
      if (problem.reason !== 'unknown-worktree') {
        showProblem(problem)
        return 'failed'
      }
      toast.error(problem.message, {
        duration: Number.POSITIVE_INFINITY,
        action: {
          label: 'Discard the worktree',
          onClick: async () => {
            const done = await attempt('remove the workspace', () =>
              client.workspace.remove({ workspaceId: taskId, discardUnknownWorktree: true }),
            )
            if (done) toast.success('Archived. The files of the worktree are in the trash.')
          },
        },
      })
      return 'failed'
    }
  }

  return {
    restore,
    async removeWorkspace(taskId, title) {
      const removed = await removeOrAsk(taskId)
      if (removed === 'failed') return false
      const show = {
        label: 'Show',
        onClick: () => navigation.go({ screen: 'archive', taskId, tab: 'report' }),
      }
      // A sub-agent is archived with its root and can't be restored by itself.
      const isRoot = ledger.store.getState().ledger.tasks.get(taskId)?.parentId === null
      toast(`Archived “${title}”.`, {
        description:
          'Reports, transcripts and the patch of unapplied changes are in the archive. The worktree is removed; Restore brings it back.',
        duration: readShownMs,
        ...(isRoot
          ? { action: { label: 'Undo', onClick: () => void restore(taskId, title) }, cancel: show }
          : { action: show }),
      })
      return true
    },
    async openFolder(taskId, program) {
      await attempt(program === 'editor' ? 'open the editor' : 'open the folder', () =>
        client.workspace.openFolder({ workspaceId: taskId, with: program }),
      )
    },
  }
}
