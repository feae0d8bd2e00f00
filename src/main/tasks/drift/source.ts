/** Finds what a missing worktree can be recreated from (S4). Changes nothing. */
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { KnownTree, SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import type { Git } from '../../git/index.ts'
import type { TurnStore } from '../../turn-store/turn-store.ts'
import type { WorkingDirs } from '../../workspaces/working-dirs.ts'
import type { Placed } from './worktree-owner.ts'

export interface SourceDependencies {
  state: LedgerState
  git: Git
  records: Pick<ArchiveReader, 'sessionState'>
  turnStore: Pick<TurnStore, 'open'>
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
  const kept = await lastKept(deps, owner, known)
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

interface Kept {
  branch: string | null
  /** When it was recorded, in milliseconds since the epoch. */
  at: number
  /** The checked-out commit, and a commit with all files; null when the repository no longer has them. */
  head: string | null
  final: string | null
}

/** Returns the newest state of the directory that any of its agents recorded; null if there is none. */
async function lastKept(
  { state, git, records, turnStore }: SourceDependencies,
  owner: Placed,
  known: KnownState,
): Promise<Kept | null> {
  let newest: { id: Task['id']; snapshot: KnownTree } | null = null
  for (const { id, workspace } of state.tasks.values()) {
    if (workspace?.path !== owner.workspace.path) continue
    const past =
      id === known.task.id ? known.past : await records.sessionState(id).catch(() => null)
    const snapshot = past?.tree
    if (snapshot && snapshot.at >= (newest?.snapshot.at ?? 0)) newest = { id, snapshot }
  }
  if (!newest) return null
  const dir = owner.projectDir
  const { branch, at } = newest.snapshot
  const last = await turnStore.open(owner.projectId).last(newest.id)
  if (last && newest.snapshot.head) {
    const head = await git.findCommit(dir, newest.snapshot.head)
    if (head === null) return { branch, at, head, final: null }
    const uncommitted = await git.treeDifferences({ dir, from: head, to: last.tree })
    return { branch, at, head, final: uncommitted.length > 0 ? last.commit : head }
  }
  // Recorded by a version without a turn store.
  const final = await git.keptCommit(dir, newest.id)
  const head = final && (await git.committedBase({ dir, commit: final }))
  return { branch, at, head, final }
}
