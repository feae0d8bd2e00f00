import { nullForGitError } from '../command/errors.ts'
import type { RunGit } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { canRepairWorktree, inspectWorktree, type WorktreeState } from './state.ts'

type WorktreeInspection =
  | Exclude<WorktreeState, { kind: 'broken' }>
  /** Its `.git` file refers to another repository than the project's. */
  | { kind: 'of-another-repository' }
  /** `repairable`: whether the repository still has it registered. */
  | { kind: 'broken'; why: string; repairable: boolean }

/**
 * Checks whether the folder is still a worktree of the repository, and if not, whether it can be
 * repaired.
 */
export async function inspectWorktreeOf(
  git: RunGit,
  { repoDir, root }: { repoDir: string; root: string },
): Promise<WorktreeInspection> {
  const state = inspectWorktree(root)
  if (state.kind === 'own-repository') return state
  const commonDir = await commonDirOf(git, repoDir).catch(nullForGitError)
  if (state.kind === 'whole') {
    const isOther =
      commonDir !== null && (await commonDirOf(git, root).catch(nullForGitError)) !== commonDir
    return isOther ? { kind: 'of-another-repository' } : state
  }
  return { ...state, repairable: commonDir !== null && (await canRepairWorktree(commonDir, root)) }
}
