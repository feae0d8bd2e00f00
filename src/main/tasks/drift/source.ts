/** Finds what a missing worktree can be recreated from (S4). Changes nothing. */
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { findLastKept, type KeptDependencies } from '../../archive/last-kept.ts'
import type { Git } from '../../git/index.ts'
import type { WorkingDirs } from '../../workspaces/working-dirs.ts'
import type { Placed } from './worktree-owner.ts'

export interface SourceDependencies extends KeptDependencies {
  state: LedgerState
  git: Git
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
}

/** The state of the task's own session, which the caller has read. */
export interface KnownState {
  task: Task
  past: SessionState
}

interface WorktreeSource {
  branch: string
  /** The branch's present commit; null: the branch was deleted. */
  tip: string | null
  /** The commit that was checked out, or the nearest one that the repository still has. */
  head: string
  /** A commit with all files, uncommitted ones included; null: they are no longer kept. */
  final: string | null
  /** When these files were recorded, in milliseconds since the epoch; null: they are no longer kept. */
  at: number | null
}

/** `refused`: why it can't be recreated, with the remedy. */
export async function findSource(
  deps: SourceDependencies,
  owner: Placed,
  known: KnownState,
): Promise<WorktreeSource | { refused: string }> {
  const { git, workingDirs } = deps
  const { projectDir: repoDir, workspace, title } = owner
  const kept = await findLastKept(deps, owner, known)
  const branch = kept ? kept.branch : workspace.branch
  if (branch === null)
    return {
      refused: `The worktree of "${title}" had no branch checked out when it was last recorded. Recreate it with \`git worktree add\` at ${workingDirs.worktreeRoot(workspace)}, or start a new agent.`,
    }
  const tip = await git.resolveCommit(repoDir, `refs/heads/${branch}`)
  const head =
    kept?.head ?? tip ?? (await git.resolveCommit(repoDir, workspace.baseCommit ?? branch))
  if (head === null)
    return {
      refused: `The branch ${branch} was deleted, and ${repoDir} no longer has its commits. Start a new agent.`,
    }
  const final = kept?.final ?? null
  return { branch, tip, head, final, at: final === null ? null : (kept?.at ?? null) }
}
