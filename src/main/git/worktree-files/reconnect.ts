/** Reconnects a worktree of Shiplog's with its repository after either or both were moved. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { RunGit } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { exists } from '../repository/file-facts.ts'
import { readIfPossible } from '../repository/read-git-file.ts'
import { writeDurable } from './durable.ts'
import { inspectWorktree, repairWorktree } from './state.ts'

type Reconnection =
  /** No change was needed. */
  | { kind: 'connected' }
  | { kind: 'reconnected' }
  /** `why` is the end of a sentence. Nothing was changed. */
  | { kind: 'unknown'; why: string }

/**
 * Like `git worktree repair`, for this worktree alone: Git would rewrite the `.git` file of every
 * folder that the repository's files list, and a repository that was just added may list any
 * folder.
 */
export async function reconnectWorktree(
  git: RunGit,
  { repoDir, root, branch }: { repoDir: string; root: string; branch: string | null },
): Promise<Reconnection> {
  const commonDir = await commonDirOf(git, repoDir)
  if (commonDir === null) return { kind: 'unknown', why: `there is no repository in ${repoDir}` }
  const before = inspectWorktree(root)
  switch (before.kind) {
    case 'whole': {
      if ((await commonDirOf(git, root)) !== commonDir)
        return {
          kind: 'unknown',
          why: `its worktree belongs to another repository than ${repoDir}`,
        }
      return { kind: (await registerNewPath(commonDir, root)) ? 'reconnected' : 'connected' }
    }
    case 'own-repository':
      return { kind: 'unknown', why: 'its worktree was made a repository of its own' }
    case 'broken': {
      await registerNewPath(commonDir, root)
      const after = await repairWorktree({ commonDir, root, branch })
      return after.kind === 'whole' && (await commonDirOf(git, root)) === commonDir
        ? { kind: 'reconnected' }
        : { kind: 'unknown', why: `the repository in ${repoDir} does not list its worktree` }
    }
  }
}

/**
 * Writes the worktree's present path to the repository's `worktrees/<name>/gitdir` if the path
 * there does not exist. Resolves with whether anything was written.
 */
async function registerNewPath(commonDir: string, root: string): Promise<boolean> {
  const pointer = readIfPossible(path.join(root, '.git')) ?? ''
  const [, name] = /^gitdir: .*?\/worktrees\/([^/\0\n]+)\/?\n*$/s.exec(pointer) ?? []
  if (name === undefined || name === '..' || name === '.') return false
  const gitdirFile = path.join(commonDir, 'worktrees', name, 'gitdir')
  const recorded = readIfPossible(gitdirFile)
  if (recorded === null) return false
  const place = path.resolve(path.dirname(gitdirFile), recorded.trimEnd())
  // It may be another worktree's: an agent can have written this worktree's `.git` file.
  if (path.basename(path.dirname(place)) !== path.basename(root) || exists(place)) return false
  await writeDurable(gitdirFile, `${path.join(await realpath(root), '.git')}\n`)
  return true
}
