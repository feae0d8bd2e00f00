/** Restores the directory that a task worked in before the task is resumed (S4). */
import { mkdir } from 'node:fs/promises'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { refused } from '../../../shared/failure.ts'
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type Git, WorktreeRefusedError } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import { createFindObstacle } from './obstacle.ts'
import { isDirectory } from './presence.ts'
import { findSource, type KnownState, type SourceDependencies } from './source.ts'
import { ownerOf, type Placed } from './worktree-owner.ts'

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

export function createRestoreWorkingDir(deps: SourceDependencies): RestoreWorkingDir {
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
      await git.removePartialWorktree({ repoDir: projectDir, path: root })
    if (!(await exists(root))) return recreate(deps, owner, root, { task, past })
    // What a restore left that was killed at its end.
    await git.discardHiddenFolder(root)
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
  // Only if the branch still has exactly the files of the snapshot; otherwise the user has to decide.
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
  deps: SourceDependencies,
  owner: Placed,
  root: string,
  known: KnownState,
): Promise<RestoredWorkingDir> {
  const { git } = deps
  const { projectDir: repoDir, workspace } = owner
  const source = await findSource(deps, owner, known)
  if ('refused' in source) return refused('removed', source.refused)
  const { branch, tip } = source
  const then = { head: source.head, final: source.final ?? source.head }
  const { head: at, final } = await onBranch(git, repoDir, branch, tip, then)
  const kept: string[] = []
  try {
    await git.restoreWorktree({
      repoDir,
      path: root,
      // A project that is a folder of its repository may hold only files that Git does not know.
      folder: workspace.path,
      branch,
      head: at,
      final,
      onlyThatBranch: true,
      taskId: owner.id,
      onKept: ({ command, commit }) =>
        kept.push(
          `What Git's folder of it still named is kept: \`${command} show --stat ${commit}\` shows it.`,
        ),
    })
  } catch (error) {
    if (!(error instanceof WorktreeRefusedError)) throw error
    return refused('in-use', `The worktree can't be recreated: ${error.message}`)
  }
  return {
    restored: [describeRestore({ branch, isNew: tip === null, at, then, final }), ...kept],
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
