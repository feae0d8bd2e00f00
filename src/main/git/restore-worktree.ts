/** Brings a removed worktree back as it was: its branch, its commits, and what was not committed. */
import { lstat } from 'node:fs/promises'
import { WorktreeRefusedError } from './errors.ts'
import { resolveCommit } from './inspect.ts'
import type { RunGit } from './run.ts'
import { removeWorktree } from './worktrees.ts'

export interface RestoreWorktreeInput {
  repoDir: string
  /** Absolute; nothing may be there. */
  path: string
  /** The branch that it had. Where it is gone, it is made again at `head`. */
  branch: string
  /** The last commit of that branch when the worktree was removed. */
  head: string
  /** A commit that holds everything, uncommitted work included: `SavedPatch.finalCommit`. */
  final: string
}

/**
 * Where the branch has moved on since, a new one beside it (`<branch>-restored`) is made at `head`. Resolves
 * with the branch that is checked out. Throws WorktreeRefusedError (`unknown-commit`, `path-exists`); after
 * any failure nothing is left behind.
 */
export async function restoreWorktree(git: RunGit, input: RestoreWorktreeInput): Promise<string> {
  const { repoDir, path, head, final } = input
  for (const commit of [head, final]) {
    if ((await resolveCommit(git, repoDir, commit)) !== null) continue
    throw new WorktreeRefusedError(
      'unknown-commit',
      `The commit ${commit} is no longer in ${repoDir}.`,
    )
  }
  if (await exists(path)) {
    throw new WorktreeRefusedError('path-exists', `${path} exists; move it away first.`)
  }
  const branch = await freeBranch(git, input)
  const tip = await resolveCommit(git, repoDir, `refs/heads/${branch}`)
  const checkout =
    tip === null ? ['--no-track', '-b', branch, '--', path, head] : ['--', path, branch]
  try {
    await git(['worktree', 'add', '--quiet', ...checkout], { cwd: repoDir })
    // Files as they were last; then the index back to the branch, so that uncommitted work is uncommitted.
    await git(['read-tree', '-u', '--reset', final], { cwd: path })
    await git(['read-tree', head], { cwd: path })
    await git(['update-index', '-q', '--refresh'], { cwd: path, okExitCodes: [0, 1] })
    return branch
  } catch (error) {
    await removeWorktree(git, { repoDir, path }).catch(() => {})
    throw error
  }
}

/** The branch itself when it is where it was and nobody has it checked out, else a new name beside it. */
async function freeBranch(
  git: RunGit,
  { repoDir, branch, head }: RestoreWorktreeInput,
): Promise<string> {
  const usable = async (name: string) => {
    const tip = await resolveCommit(git, repoDir, `refs/heads/${name}`)
    return tip === null || (tip === head && !(await isCheckedOut(git, repoDir, name)))
  }
  if (await usable(branch)) return branch
  for (let n = 1; ; n++) {
    const name = `${branch}-restored${n === 1 ? '' : `-${n}`}`
    if (await usable(name)) return name
  }
}

async function isCheckedOut(git: RunGit, repoDir: string, branch: string): Promise<boolean> {
  const { stdout } = await git(['worktree', 'list', '--porcelain'], { cwd: repoDir })
  return stdout.toString('utf8').split('\n').includes(`branch refs/heads/${branch}`)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
