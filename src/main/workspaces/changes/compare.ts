/** Compares the changes of a workspace with the folder that they would be applied to. Changes nothing. */
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Git } from '../../git/index.ts'
import type { FindAppliedStates } from './applied-states.ts'
import type { FinalStates } from './final-state.ts'

/** Throws FailureError where there is nothing to compare: no Git, no commit of the changes, or no folder. */
export type CompareTarget = (taskId: TaskId) => Promise<TargetComparison>

export function createCompareTarget({
  git,
  finalStates,
  findAppliedStates,
}: {
  git: Git
  finalStates: FinalStates
  findAppliedStates: FindAppliedStates
}): CompareTarget {
  return async (taskId) => {
    const { task, workspace } = finalStates.isolated(taskId)
    const final = await finalStates.finalState(task, workspace)
    const theirCommit =
      final && 'live' in final
        ? (await git.commitSnapshot(final.live)).commit
        : final?.saved.finalCommit
    if (!theirCommit || workspace.isolation === 'in-place')
      return { tree: null, files: [], conflicts: [] }
    const { baseCommit } = workspace
    const targetDir = finalStates.applyTarget(task)
    const appliedStates = await findAppliedStates(task)
    const compared = await git.compareTarget({ targetDir, baseCommit, theirCommit, appliedStates })
    return (
      compared ??
      refused('not-git', `The repository of ${targetDir} lost the commits of "${task.title}".`)
    )
  }
}
