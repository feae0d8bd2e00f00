/**
 * Returns the changes of a workspace for display: from its directory, or from the files saved at
 * its removal.
 */
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isPatchSaved } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git, ShownDiff } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import type { FinalStates } from './final-state.ts'

export type DiffWorkspace = (taskId: TaskId, shown?: ShownDiff) => Promise<WorkspaceDiff>

export function createDiffWorkspace({
  git,
  finalStates,
}: {
  git: Git
  finalStates: FinalStates
}): DiffWorkspace {
  const { isolated, finalState, applyTarget } = finalStates

  async function diff(taskId: TaskId, shown?: ShownDiff): Promise<WorkspaceDiff> {
    const { workspace } = isolated(taskId)
    return diffNow(taskId, shown).catch((error) => {
      // It was removed while it was being read: read the saved files.
      const now = isolated(taskId).workspace
      if (now.removal === workspace.removal || !isPatchSaved(now)) throw error
      return diffNow(taskId, shown)
    })
  }

  async function diffNow(taskId: TaskId, shown: ShownDiff | undefined): Promise<WorkspaceDiff> {
    const { task, workspace } = isolated(taskId)
    const target = await targetOf(task)
    const final = await finalState(task, workspace)
    if (final && 'live' in final) {
      const answer = await git.diff({ dir: final.live, baseCommit: workspace.baseCommit, shown })
      if (answer.kind === 'diff')
        return {
          files: answer.files,
          patch: answer.patch,
          truncated: answer.truncated,
          target,
          tree: answer.tree,
        }
      return refused(
        'not-git',
        `The base commit of "${task.title}" is no longer in the repository.`,
      )
    }
    if (final === null && !isPatchSaved(workspace))
      return refused(
        'folder-gone',
        `The folder of "${task.title}", ${workspace.path}, is gone or incomplete, so its changes can't be shown. A next run restores it from its last recorded state, which a removal saves as well.`,
      )
    const commit = final?.saved.finalCommit
    if (!commit) return { files: [], patch: '', truncated: false, target, tree: null }
    const content = await git.diffCommits({
      repoDir: task.projectDir,
      from: workspace.baseCommit,
      to: commit,
      shown,
    })
    const tree = await git.treeOfCommit(task.projectDir, commit)
    return { ...content, target, tree }
  }

  async function targetOf(task: Task): Promise<WorkspaceDiff['target']> {
    const path = applyTarget(task)
    const branch = (await exists(path)) ? await git.currentBranch(path).catch(() => null) : null
    return { path, branch }
  }

  return diff
}
