/** Lists the worktrees and hidden refs of Shiplog's that a repository has registered. */
import { access, realpath } from 'node:fs/promises'
import path from 'node:path'
import { parseTaskId, type TaskId } from '../../../shared/records/ids.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { version } from '../command/version.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { readIfPossible } from '../repository/read-git-file.ts'
import { reconnectWorktree } from '../worktree-files/reconnect.ts'
import { adminDirOf } from '../worktree-files/state.ts'

/**
 * Returns the folders of all worktrees, including the main one, links resolved if they exist. Null
 * outside Git.
 */
export async function registeredWorktrees(
  git: RunGit,
  repoDir: string,
): Promise<Set<string> | null> {
  if ((await commonDirOf(git, repoDir)) === null) return null
  const known = await listWorktrees(git, repoDir)
  return new Set(await Promise.all(known.map(({ folder }) => resolved(folder))))
}

/**
 * Reports whether the repository has a worktree, complete or not, registered at a folder. False
 * outside Git.
 */
export async function isWorktreeOf(git: RunGit, repoDir: string, folder: string): Promise<boolean> {
  const commonDir = await commonDirOf(git, repoDir)
  return commonDir !== null && (await adminDirOf(commonDir, folder)) !== null
}

/**
 * Returns the folders in which a branch is checked out, links resolved: none, one, or by force
 * several.
 */
export async function foldersWithBranch(
  git: RunGit,
  { repoDir, branch }: { repoDir: string; branch: string },
): Promise<string[]> {
  const known = await listWorktrees(git, repoDir)
  const found = known.filter((one) => one.ref === `refs/heads/${branch}`)
  return Promise.all(found.map(({ folder }) => resolved(folder)))
}

async function listWorktrees(
  git: RunGit,
  repoDir: string,
): Promise<{ folder: string; ref: string | null }[]> {
  // A path may contain a newline, which an older Git prints unquoted.
  const [major, minor] = await version(git)
  const knowsNul = major > 2 || (major === 2 && minor >= nulSinceMinor)
  const args = ['worktree', 'list', '--porcelain', ...(knowsNul ? ['-z'] : [])]
  const { stdout } = await git(args, { cwd: repoDir })
  const end = knowsNul ? '\0' : '\n'
  return stdout
    .toString('utf8')
    .split(end + end)
    .flatMap((block) => {
      const said = (what: string) =>
        block
          .split(end)
          .find((one) => one.startsWith(`${what} `))
          ?.slice(what.length + 1)
      const folder = said('worktree')
      return folder ? [{ folder, ref: said('branch') ?? null }] : []
    })
}

/** The first Git 2.x with `git worktree list -z`. */
const nulSinceMinor = 36

const resolved = (folder: string) => realpath(folder).catch(() => path.resolve(folder))

/**
 * Reports whether the repository has this worktree registered at another path, because the
 * worktree, the repository or both were moved by hand, so that `registerMovedWorktree` can correct
 * it.
 */
export async function isMovedWorktree(
  git: RunGit,
  repoDir: string,
  worktree: string,
): Promise<boolean> {
  const commonDir = await commonDirOf(git, repoDir)
  const pointer = readIfPossible(path.join(worktree, '.git')) ?? ''
  const [, own] = /^gitdir: (.+)$/m.exec(pointer) ?? []
  if (commonDir === null || own === undefined) return false
  const files = path.join(commonDir, 'worktrees', path.basename(own))
  return access(files).then(
    () => true,
    () => false,
  )
}

/**
 * Registers the present path of a worktree that was moved by hand. Does not change a correct
 * registration.
 */
export async function registerMovedWorktree(
  git: RunGit,
  repoDir: string,
  worktree: string,
): Promise<boolean> {
  const commonDir = await commonDirOf(git, repoDir)
  if (commonDir === null || (await adminDirOf(commonDir, worktree)) !== null) return false
  const { kind } = await reconnectWorktree(git, { repoDir, root: worktree, branch: null })
  return kind === 'reconnected'
}

/** Returns the tasks that have references of Shiplog's in the repository. None outside Git. */
export async function keptTaskIds(git: RunGit, repoDir: string): Promise<TaskId[]> {
  if ((await commonDirOf(git, repoDir)) === null) return []
  const listed = await git(['for-each-ref', '--format=%(refname)', 'refs/shiplog/'], {
    cwd: repoDir,
  })
  return line(listed)
    .split('\n')
    .flatMap((name) => parseTaskId(name.replace(/^refs\/shiplog\/(base\/)?/, '')) ?? [])
}
