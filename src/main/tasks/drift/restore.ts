/** Restores the directory that a task worked in before the task is resumed (S4). */
import { mkdir } from 'node:fs/promises'
import { refused } from '../../../shared/failure.ts'
import { createKeyedMutex } from '../../../shared/keyed-mutex.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { KnownTree, SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { type Git, WorktreeRefusedError } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import type { TurnStore } from '../../turn-store/turn-store.ts'
import type { WorkingDirs } from '../../workspaces/working-dirs.ts'
import { createFindObstacle, ownerOf, type Placed } from './obstacle.ts'
import { isDirectory } from './origin.ts'

interface RestoreDependencies {
  state: LedgerState
  git: Git
  records: Pick<ArchiveReader, 'sessionState'>
  workingDirs: Pick<WorkingDirs, 'worktreeRoot'>
  turnStore: Pick<TurnStore, 'open'>
}

interface RestoredWorkingDir {
  /** The repairs, one sentence each, for the resume entry; empty when nothing was missing. */
  restored: string[]
  /** True if the worktree was recreated: ignored files are missing, so the set-up has to run again. */
  recreated: boolean
}

/**
 * `past` is the state of the task's own session. Restores all or nothing (S5): throws FailureError
 * (`refused`, with the remedy) or GitError, in which case nothing was changed.
 */
export type RestoreWorkingDir = (task: Task, past: SessionState) => Promise<RestoredWorkingDir>

const untouched: RestoredWorkingDir = { restored: [], recreated: false }

export function createRestoreWorkingDir(deps: RestoreDependencies): RestoreWorkingDir {
  const { state, git } = deps
  const obstacleOf = createFindObstacle(deps)
  const serially = createKeyedMutex()

  // Agents that share a worktree may be resumed together: the second finds what the first made.
  return (task, past) =>
    serially(task.workspace?.path ?? task.id, () => ensureWorkingDir(task, past))

  async function ensureWorkingDir(task: Task, past: SessionState): Promise<RestoredWorkingDir> {
    const { title, workspace, projectDir } = task
    if (!workspace || workspace.removal !== null)
      return refused('removed', `The workspace of "${title}" was removed.`)
    const obstacle = await obstacleOf(task, past)
    if (obstacle !== null) return refused('removed', obstacle)
    const owner = ownerOf(state, task)
    if (!owner) return inProject(task, workspace)
    const root = deps.workingDirs.worktreeRoot(owner.workspace)
    // The result of a killed restore contains no work.
    if (await git.isPartialWorktree(root))
      await git.removeWorktree({ repoDir: projectDir, path: root })
    if (!(await exists(root))) return recreate(deps, owner, root, { task, past })
    const back: string[] = []
    if (await git.registerMovedWorktree(projectDir, root))
      back.push(`The worktree was registered in Git at its present path, ${root}.`)
    if (!(await isDirectory(workspace.path))) {
      await mkdir(workspace.path, { recursive: true })
      back.push('The working directory was recreated, empty.')
      return { restored: back, recreated: false }
    }
    back.push(...(await removeStaleLock(root)))
    const checkedOut = owner.id === task.id ? await checkOutAgain(git, workspace, past) : untouched
    return { ...checkedOut, restored: [...back, ...checkedOut.restored] }
  }

  /** Removes an index lock from before this process began: no running agent can hold it. */
  async function removeStaleLock(root: string): Promise<string[]> {
    const beforeMs = performance.timeOrigin
    if (!(await git.removeStaleIndexLock({ dir: root, beforeMs }))) return []
    return ['An index lock left behind by a killed Git process was removed from the worktree.']
  }
}

async function inProject({ title }: Task, { path }: Workspace): Promise<RestoredWorkingDir> {
  if (await isDirectory(path)) return untouched
  return refused(
    'removed',
    `The folder ${path}, in which "${title}" worked, is missing. Put it back, or start a new agent.`,
  )
}

/** Checks the worktree's branch out again. The user's own folder is never switched. */
async function checkOutAgain(
  git: Git,
  workspace: Workspace,
  { tree: snapshot }: SessionState,
): Promise<RestoredWorkingDir> {
  const wanted = snapshot ? snapshot.branch : workspace.branch
  const { path: dir } = workspace
  const present = await git.currentBranch(dir)
  if (wanted === null || wanted === present) return untouched
  // Only if the branch still has exactly the files of the snapshot; otherwise the person has to decide.
  if (snapshot && !(await isTreeOf(git, dir, wanted, snapshot.tree))) return untouched
  if (!(await git.switchBranch({ dir, branch: wanted }))) return untouched
  return {
    restored: [`${wanted} was checked out again in place of ${present ?? 'a detached HEAD'}.`],
    recreated: false,
  }
}

async function isTreeOf(git: Git, dir: string, branch: string, tree: string): Promise<boolean> {
  const tip = await git.resolveCommit(dir, `refs/heads/${branch}`)
  if (tip === null || !(await git.hasTree({ dir, tree }))) return false
  return (await git.treeDifferences({ dir, from: tree, to: tip })).length === 0
}

async function recreate(
  deps: RestoreDependencies,
  owner: Placed,
  root: string,
  known: { task: Task; past: SessionState },
): Promise<RestoredWorkingDir> {
  const { git } = deps
  const { projectDir: repoDir, workspace } = owner
  const kept = await lastKept(deps, owner, known)
  const branch = kept ? kept.branch : workspace.branch
  if (branch === null) {
    return refused(
      'removed',
      `The worktree of "${owner.title}" had no branch checked out when it was last recorded. Recreate it with \`git worktree add\` at ${root}, or start a new agent.`,
    )
  }
  const tip = await git.resolveCommit(repoDir, `refs/heads/${branch}`)
  const head =
    kept?.head ?? tip ?? (await git.resolveCommit(repoDir, workspace.baseCommit ?? branch))
  if (head === null) {
    return refused(
      'removed',
      `The branch ${branch} was deleted, and ${repoDir} no longer has its commits. Start a new agent.`,
    )
  }
  const then = { head, final: kept?.final ?? head }
  const { head: at, final } = await onBranch(git, repoDir, branch, tip, then)
  try {
    await git.restoreWorktree({
      repoDir,
      path: root,
      branch,
      head: at,
      final,
      onlyThatBranch: true,
    })
  } catch (error) {
    if (!(error instanceof WorktreeRefusedError)) throw error
    return refused('in-use', `The worktree can't be recreated: ${error.message}`)
  }
  // A project that is a folder of its repository may hold only files that Git does not know.
  await mkdir(workspace.path, { recursive: true }).catch(async (error) => {
    const made = tip === null ? { branch, branchAt: at } : {}
    await git.removeWorktree({ repoDir, path: root, ...made })
    throw error
  })
  return {
    restored: [describeRestore({ branch, isNew: tip === null, at, then, final })],
    recreated: true,
  }
}

function describeRestore(made: {
  branch: string
  isNew: boolean
  at: string
  then: { head: string }
  final: string
}): string {
  const { branch, isNew, at, then, final } = made
  const from = isNew
    ? `from the kept commits of ${branch}, which had been deleted and was recreated`
    : at === then.head
      ? `from ${branch}`
      : `from ${branch}, which has moved on`
  const work = final === at ? '' : ', with the uncommitted work'
  return `The worktree was missing and was recreated ${from}${work}.`
}

/** Rebases uncommitted work onto the branch's new tip, if the branch has moved. Throws FailureError on a conflict. */
async function onBranch(
  git: Git,
  repoDir: string,
  branch: string,
  tip: string | null,
  then: { head: string; final: string },
): Promise<{ head: string; final: string }> {
  if (tip === null || tip === then.head) return then
  if (then.final === then.head) return { head: tip, final: tip }
  const rebased = await git.rebaseSnapshot({ repoDir, ...then, onto: tip })
  if (rebased.kind === 'rebased') return { head: tip, final: rebased.commit }
  return refused(
    'in-use',
    `The branch ${branch} has changed since, and the uncommitted work conflicts with it in ${rebased.paths.join(', ')}. Reset the branch to ${then.head}, or start a new agent. The work is kept in the turn store as ${then.final}.`,
  )
}

interface Kept {
  branch: string | null
  /** The checked-out commit, and a commit with all files; null when the repository no longer has them. */
  head: string | null
  final: string | null
}

/** Returns the newest state of the directory that any of its agents recorded; null if there is none. */
async function lastKept(
  { state, git, records, turnStore }: RestoreDependencies,
  owner: Placed,
  known: { task: Task; past: SessionState },
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
  const { branch } = newest.snapshot
  const last = await turnStore.open(owner.projectId).last(newest.id)
  if (last && newest.snapshot.head) {
    const head = await git.findCommit(dir, newest.snapshot.head)
    if (head === null) return { branch, head, final: null }
    const uncommitted = await git.treeDifferences({ dir, from: head, to: last.tree })
    return { branch, head, final: uncommitted.length > 0 ? last.commit : head }
  }
  // Recorded by a version without a turn store.
  const final = await git.keptCommit(dir, newest.id)
  const head = final && (await git.committedBase({ dir, commit: final }))
  return { branch, head, final }
}
