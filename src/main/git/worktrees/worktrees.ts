/** Creates and removes worktrees and their branches. */
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { GitError, NotAWorktreeError, WorktreeRefusedError } from '../command/errors.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { exists } from '../repository/file-facts.ts'
import { committedBase } from '../repository/history.ts'
import { submodulesWithWorkIn } from '../repository/submodules.ts'
import { releaseSnapshot } from '../snapshots/kept-snapshots.ts'
import { retryIfPruned } from '../snapshots/quarantine.ts'
import { shiplogIdentity } from '../snapshots/snapshot.ts'
import { copyIntoRepository } from '../store/copy.ts'
import { reading } from '../store/store.ts'
import { adminDirOf, resolved } from '../worktree-files/state.ts'
import { syncWorktree } from '../worktree-files/sync.ts'
import { keepAutostash } from './autostash.ts'
import { asideOf } from './hidden-folder.ts'
import { refuseLinkedFolders } from './linked-folders.ts'
import type { SavedWork } from './own-folder.ts'
import { partialWorktreeReason, unlockWorktree } from './partial-worktree.ts'
import { isSparse, writeOutsideSparseCheckout } from './sparse-checkout.ts'
import { type KeptUnfinished, keepUnfinished } from './unfinished.ts'

export interface CreateWorktreeInput {
  /** The project, or any worktree of it. */
  repoDir: string
  /** Absolute; must not exist. Parent folders are created. */
  path: string
  /** The branch to create. */
  branch: string
  /** The commit it starts from. */
  from: string
  signal?: AbortSignal | undefined
}

/**
 * Creates a worktree on a new branch. Hooks do not run and submodules are not checked out. Throws
 * WorktreeRefusedError for problems that the caller can fix; a failure leaves nothing behind.
 */
export async function createWorktree(git: RunGit, input: CreateWorktreeInput): Promise<void> {
  const from = await checkCreatable(git, input)
  for (let attemptsLeft = 3; ; attemptsLeft--) {
    try {
      return await addWorktree(git, input, from)
    } catch (error) {
      if (attemptsLeft === 0 || !wasPrunedMeanwhile(error)) throw error
    }
  }
}

/** A concurrent `git gc` removes the empty `worktrees` folder, even while a worktree is being added. */
const wasPrunedMeanwhile = (error: unknown): boolean =>
  error instanceof GitError &&
  /could not create directory of '.*worktrees\/.*': No such file/.test(error.stderr)

async function addWorktree(git: RunGit, input: CreateWorktreeInput, from: string): Promise<void> {
  const { repoDir, branch, signal } = input
  try {
    // Locked until every file is in it: after a kill, missing files would look like the user's deletions.
    const noFiles = ['--no-checkout', '--lock', '--reason', partialWorktreeReason]
    const onBranch = ['--no-track', '-b', branch, '--', input.path, from]
    await git(['worktree', 'add', '--quiet', ...noFiles, ...onBranch], { cwd: repoDir, signal })
    // Run in the worktree, because configuration that is included for this worktree alone is
    // visible only there.
    const checksOut = { from: null, to: from }
    await git(['reset', '--hard', '--quiet'], { cwd: input.path, signal, checksOut })
    await writeUncommitted(git, input, from)
    const commonDir = await commonDirOf(git, repoDir)
    if (commonDir !== null) await syncWorktree({ commonDir, root: input.path, branch })
    await unlockWorktree(git, { repoDir, path: input.path, commonDir, signal })
    await releaseSnapshot(git, repoDir, from)
  } catch (error) {
    // Without `signal`, so that an aborted call cleans up too.
    await removeWorktree(git, { repoDir, path: input.path, branch, branchAt: from }).catch(() => {})
    throw error
  }
}

/** Writes the parent's uncommitted files that are outside the sparse checkout. */
async function writeUncommitted(
  git: RunGit,
  { path: dir, signal }: CreateWorktreeInput,
  commit: string,
): Promise<void> {
  if (!(await isSparse(git, dir))) return
  const base = await committedBase(git, { dir, commit })
  if (base !== null) await writeOutsideSparseCheckout(git, { dir, from: base, to: commit, signal })
}

export interface RemoveWorktreeInput {
  repoDir: string
  path: string
  /** Its branch, if Shiplog created it. */
  branch?: string | undefined
  /** The branch is kept if it is no longer at this commit. */
  branchAt?: string | undefined
  /** Moves the folder with all its content instead of deleting it. */
  moveAway?: (() => Promise<void>) | undefined
  /** Moves these Git folders of submodules, which hold work, before Git's own folder of the worktree is deleted. */
  moveSubmodules?: ((found: { path: string; gitDir: string }[]) => Promise<void>) | undefined
  /** Its saved work, if Git's folder may name more, which is then kept too (`unfinished.ts`). */
  saved?: SavedWork | undefined
  signal?: AbortSignal | undefined
}

type BranchRemoval = 'deleted' | 'already-gone' | 'checked-out-elsewhere' | 'moved-on'

interface WorktreeRemoval {
  worktree: 'removed' | 'already-gone'
  /** Null if no branch was given. */
  branch: BranchRemoval | null
  /** The commit in the stash of what Git had set aside for an unfinished rebase or merge in it (`autostash.ts`). */
  stashed?: string
  /** What else an unfinished operation left in Git's folder alone. */
  unfinished?: KeptUnfinished
}

/**
 * Removes a worktree with all its files, in any state: locked, pruned, damaged, or deleted by hand.
 * May be repeated. Throws NotAWorktreeError instead of deleting a repository. With `moveAway` no
 * file of it is deleted, only Git's administrative folder and the branch.
 */
export async function removeWorktree(
  git: RunGit,
  input: RemoveWorktreeInput,
): Promise<WorktreeRemoval> {
  const { repoDir, path: worktreePath, branch, branchAt, moveAway, saved, signal } = input
  await refuseItsRepository(worktreePath, repoDir)
  const existed = exists(worktreePath)
  if (moveAway) {
    if (existed) await moveAway()
  } else await refuseRepository(worktreePath)
  const commonDir = await commonDirOf(git, repoDir, { signal })
  if (commonDir === null) {
    // The project was deleted, and Git's administrative folder with it.
    if (!moveAway) await rm(worktreePath, { recursive: true, force: true })
    return {
      worktree: existed ? 'removed' : 'already-gone',
      branch: branch ? 'already-gone' : null,
    }
  }
  const adminDir = await adminDirOf(commonDir, worktreePath)
  const stashed = adminDir && (await keepAutostash(git, { repoDir, adminDir }))
  const unfinished =
    adminDir && saved
      ? await retryIfPruned(() => keepUnfinished(git, { repoDir, commonDir, adminDir }, saved))
      : null
  if (input.moveSubmodules) await removeSubmodules(git, { ...input, commonDir, adminDir })
  if (adminDir !== null && existed && !moveAway) {
    // Given twice to remove a locked one as well. It fails on a damaged `.git` file; the two lines
    // below do not.
    await git(['worktree', 'remove', '--force', '--force', worktreePath], {
      cwd: repoDir,
      signal,
    }).catch((error) => {
      if (!(error instanceof GitError)) throw error
    })
  }
  if (!moveAway) await rm(worktreePath, { recursive: true, force: true, maxRetries: 3 })
  // Not `git worktree prune`, because that would also remove the user's worktrees on an unplugged
  // drive.
  if (adminDir !== null) await rm(adminDir, { recursive: true, force: true, maxRetries: 3 })
  return {
    worktree: existed || adminDir !== null ? 'removed' : 'already-gone',
    branch: branch ? await deleteBranch(git, { repoDir, branch, at: branchAt, signal }) : null,
    ...(stashed !== null && { stashed }),
    ...(unfinished !== null && { unfinished }),
  }
}

/** Those that hold work are moved; also from a folder that a killed restore left aside. */
async function removeSubmodules(
  git: RunGit,
  input: RemoveWorktreeInput & { commonDir: string; adminDir: string | null },
): Promise<void> {
  const { repoDir, path: worktreePath, commonDir, adminDir, moveSubmodules } = input
  const aside = asideOf(commonDir, worktreePath)
  for (const gitDir of [adminDir, aside]) {
    const found = gitDir && (await submodulesWithWorkIn(git, { cwd: repoDir, gitDir }))
    if (found && found.length > 0) await moveSubmodules?.(found)
  }
  await rm(aside, { recursive: true, force: true })
}

/**
 * Deletes a branch that Shiplog created, merged or not, unless it is checked out or has other
 * commits.
 */
async function deleteBranch(
  git: RunGit,
  input: {
    repoDir: string
    branch: string
    /** The commit that it must still be at; any if absent. */
    at?: string | undefined
    signal?: AbortSignal | undefined
  },
): Promise<BranchRemoval> {
  const { repoDir, branch, at, signal } = input
  const tip = await resolveCommit(git, repoDir, `refs/heads/${branch}`, { signal })
  if (tip === null) return 'already-gone'
  if (at !== undefined && tip !== at) return 'moved-on'
  try {
    await git(['branch', '--quiet', '-D', '--', branch], { cwd: repoDir, signal })
    return 'deleted'
  } catch (error) {
    if (error instanceof GitError && /checked out at|used by worktree/.test(error.stderr)) {
      return 'checked-out-elsewhere'
    }
    throw error
  }
}

/**
 * Deletes a branch that never moved since it was created and is checked out nowhere, as a kill leaves it behind that cut
 * the creation of its worktree short. Does nothing to any other.
 */
export async function deleteUnusedBranch(
  git: RunGit,
  { repoDir, branch }: { repoDir: string; branch: string },
): Promise<void> {
  const tip = await resolveCommit(git, repoDir, `refs/heads/${branch}`)
  if (tip === null) return
  const moves = await git(['reflog', 'show', '--format=%gs', `refs/heads/${branch}`, '--'], {
    cwd: repoDir,
  })
  if (/^branch: Created from .*\n$/.test(moves.stdout.toString()))
    await deleteBranch(git, { repoDir, branch, at: tip })
}

/**
 * Returns variables that let an agent's shell commit if the user never configured an identity.
 * Empty if the user did: then the commits are the user's.
 */
export async function agentEnv(
  git: RunGit,
  dir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Record<string, string>> {
  await git.ensureWorktree(dir)
  const { identity: known } = await git.readConfig(dir)
  const missing = Object.entries(shiplogIdentity).filter(([variable]) => {
    const [, role = '', field = ''] = /^git_(\w+)_(\w+)$/.exec(variable.toLowerCase()) ?? []
    return !(variable in env) && !known.has(`user.${field}`) && !known.has(`${role}.${field}`)
  })
  return Object.fromEntries(missing)
}

/**
 * The form of Shiplog's own names: letters, digits and hyphens, in folders. Git checks any other.
 */
const plainBranchName = /^(?:[\p{L}\p{N}][\p{L}\p{N}-]*\/)+[\p{L}\p{N}][\p{L}\p{N}-]*$/u

async function isBranchName(
  git: RunGit,
  branch: string,
  { repoDir, signal }: { repoDir: string; signal?: AbortSignal | undefined },
): Promise<boolean> {
  if (plainBranchName.test(branch)) return true
  const args = ['check-ref-format', '--branch', branch]
  const named = await git(args, { cwd: repoDir, signal, okExitCodes: [0, 1, 128] })
  return named.exitCode === 0 && line(named) === branch
}

/**
 * Throws WorktreeRefusedError if the worktree can't be created. Returns the full id of the commit to start from, after
 * copying it into the repository if only a store had it.
 */
async function checkCreatable(git: RunGit, input: CreateWorktreeInput): Promise<string> {
  const { repoDir, branch, signal } = input
  if (!(await isBranchName(git, branch, { repoDir, signal })))
    throw new WorktreeRefusedError('bad-branch-name', `"${branch}" is not a valid branch name.`)
  if ((await resolveCommit(git, repoDir, `refs/heads/${branch}`, { signal })) !== null) {
    throw new WorktreeRefusedError(
      'branch-exists',
      `The branch ${branch} exists; choose another name.`,
    )
  }
  const commonDir = await commonDirOf(git, repoDir, { signal })
  if (commonDir !== null) await refuseLinkedFolders(commonDir, branch)
  if (exists(input.path)) {
    throw new WorktreeRefusedError('path-exists', `${input.path} exists; choose another folder.`)
  }
  const own = await resolveCommit(git, repoDir, input.from, { signal })
  if (own !== null) return own
  const from = await resolveCommit(reading(git, repoDir), repoDir, input.from, { signal })
  if (from === null) {
    throw new WorktreeRefusedError(
      'unknown-commit',
      `There is no commit ${input.from} in ${repoDir}.`,
    )
  }
  await copyIntoRepository(git, repoDir, from)
  return from
}

async function refuseItsRepository(worktreePath: string, repoDir: string): Promise<void> {
  const inside = path.relative(await resolved(worktreePath), await resolved(repoDir))
  const outside = inside.split(path.sep)[0] === '..' || path.isAbsolute(inside)
  if (!outside) {
    throw new NotAWorktreeError(worktreePath, 'the repository itself is in it')
  }
}

/** A worktree's `.git` is a file; a folder is a repository with its whole history. */
async function refuseRepository(worktreePath: string): Promise<void> {
  const found = await stat(path.join(worktreePath, '.git')).catch(() => null)
  if (found?.isDirectory()) {
    throw new NotAWorktreeError(worktreePath, 'it is a repository of its own, not a worktree')
  }
}
