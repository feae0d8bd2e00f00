/**
 * Finds the last recorded state of a worktree whose folder is gone: its branch, its commit, and its files, uncommitted ones
 * included, which the turn store keeps. Changes nothing.
 */
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { KnownTree, SessionState } from '../../shared/projections/session/session-state.ts'
import type { Workspace } from '../../shared/records/projects/workspaces.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { Git } from '../git/index.ts'
import type { TurnStore } from '../turn-store/turn-store.ts'
import type { ArchiveReader } from './archive-reader.ts'

export interface KeptDependencies {
  state: LedgerState
  git: Git
  records: Pick<ArchiveReader, 'sessionState'>
  turnStore: Pick<TurnStore, 'open'>
}

/** What is still kept of a worktree. */
interface Kept {
  branch: string | null
  /** When it was recorded, in milliseconds since the epoch. */
  at: number
  /** The checked-out commit, and a commit with all files; null when the repository no longer has them. */
  head: string | null
  final: string | null
}

/**
 * Returns the newest state of the directory that any of its agents recorded; null if there is none. `known` is a session
 * that the caller has read.
 */
export async function findLastKept(
  { state, git, records, turnStore }: KeptDependencies,
  owner: Task & { workspace: Workspace },
  known?: { task: Task; past: SessionState },
): Promise<Kept | null> {
  let newest: { id: Task['id']; snapshot: KnownTree } | null = null
  for (const { id, workspace } of state.tasks.values()) {
    if (workspace?.path !== owner.workspace.path) continue
    const past =
      id === known?.task.id ? known.past : await records.sessionState(id).catch(() => null)
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
