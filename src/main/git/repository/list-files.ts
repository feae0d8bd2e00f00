/** Lists the files of a folder as Git sees them. */
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import { fields, type RunGit } from '../command/run-git.ts'
import { dataDirIn } from './data-dir.ts'
import { nearestRepository } from './nearest-repository.ts'

const listBytesMax = 32 * 1024 * 1024

/**
 * Returns tracked and untracked files below `dir`, relative to it and sorted, without ignored and
 * deleted ones, and without the data directory. Null outside a repository. With `withDeleted`, deleted files may be included, which
 * takes half as long.
 */
export async function listFiles(
  git: RunGit,
  dir: string,
  {
    signal,
    withDeleted = false,
  }: { signal?: AbortSignal | undefined; withDeleted?: boolean | undefined } = {},
): Promise<string[] | null> {
  const dataDir = await dataDirIn(git, dir, nearestRepository(path.resolve(dir)) ?? dir)
  const list = async (...which: string[]) => {
    const args = ['ls-files', '-z', ...which]
    return fields((await git(args, { cwd: dir, signal, stdoutBytesMax: listBytesMax })).stdout)
  }
  try {
    const [listed, deleted] = await Promise.all([
      list('--cached', '--others', '--exclude-standard', ...dataDir.exclude),
      withDeleted ? [] : list('--deleted'),
    ])
    const gone = new Set(deleted)
    // Git lists a conflicted file once per side.
    return [...new Set(listed)].filter((file) => !gone.has(file) && !dataDir.holds(file)).sort()
  } catch (error) {
    if (error instanceof GitError) return null
    throw error
  }
}
