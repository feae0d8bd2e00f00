/** Finds what is kept of a worktree whose folder is gone, for the save at its removal (R1). */
import { findLastKept, type KeptDependencies } from '../../archive/last-kept.ts'
import type { Archived } from '../archived/worktrees.ts'

/** Commits that the repository or the turn store has. */
export interface RecordedState {
  head: string
  /** `head`, or a commit on top of it with the uncommitted work. */
  final: string
  /** When the files were recorded, in milliseconds since the epoch; null: only commits of its branch are kept. */
  at: number | null
}

/**
 * Returns the newest one, as a resume would restore it; null if neither a state nor a commit is kept. Throws GitError.
 */
export async function findRecordedState(
  deps: KeptDependencies,
  task: Archived,
): Promise<RecordedState | null> {
  const { git } = deps
  const { projectDir: dir, workspace } = task
  const kept = await findLastKept(deps, task)
  // Without a branch, its HEAD was detached.
  const branch = kept ? kept.branch : workspace.branch
  const tip = branch === null ? null : await git.resolveCommit(dir, `refs/heads/${branch}`)
  const { head, at } = kept ?? {}
  if (!head || at === undefined)
    return tip === null || tip === workspace.baseCommit ? null : { head: tip, final: tip, at: null }
  const final = kept?.final ?? head
  // Commits after the record. A branch that was reset may lack the agent's work, which the record has.
  const isAhead = tip !== null && ((await git.countCommits({ dir, from: head, to: tip })) ?? 0) > 0
  const then = { repoDir: dir, head, final }
  const rebased = isAhead ? await git.rebaseSnapshot({ ...then, onto: tip }) : null
  if (isAhead && rebased?.kind === 'rebased') return { head: tip, final: rebased.commit, at }
  // The turn store's commit of these files is on top of other states, not of the agent's commits.
  const own = await git.rebaseSnapshot({ ...then, onto: head })
  return own.kind === 'rebased' ? { head, final: own.commit, at } : null
}
