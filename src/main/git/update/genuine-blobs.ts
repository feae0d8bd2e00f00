import { GitError } from '../command/errors.ts'
import type { RunGit } from '../command/run-git.ts'

/**
 * Throws GitError if the content of one of these blobs is not what its id says, or if one is missing. Git itself does not
 * check a loose object, and an agent can write one: the id of a file that a user has reviewed would name another one.
 */
export async function assertGenuine(
  git: RunGit,
  { dir, ids, signal }: { dir: string; ids: readonly string[]; signal?: AbortSignal | undefined },
): Promise<void> {
  if (ids.length === 0) return
  const input = [...new Set(ids)].map((id) => `${id}\n`).join('')
  try {
    await git(['rev-list', '--quiet', '--verify-objects', '--stdin'], { cwd: dir, input, signal })
  } catch (error) {
    const stderr = error instanceof GitError ? error.stderr : ''
    const [, id] = /hash mismatch (?:for )?([0-9a-f]{40,})/.exec(stderr) ?? []
    if (id === undefined) throw error
    const why = `fatal: the object ${id} holds another content than its id says: a program replaced it, or the disk is damaged (see "git fsck")`
    throw new GitError(['rev-list', '--verify-objects'], null, why)
  }
}
