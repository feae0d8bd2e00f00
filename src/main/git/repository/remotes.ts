/** The remotes in a repository's configuration. */
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import type { RunGit } from '../command/run-git.ts'
import { nearestRepository } from './nearest-repository.ts'

/** Returns the fetch and push addresses in the configuration, by the name of the remote. */
export async function remoteUrls(
  git: RunGit,
  dir: string,
): Promise<{ name: string; url: string }[]> {
  // Checking a few folders saves a process at every start in a project without Git.
  if (nearestRepository(path.resolve(dir)) === null) return []
  await git.ensureWorktree(dir)
  try {
    return (await git.readConfig(dir)).remotes
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}
