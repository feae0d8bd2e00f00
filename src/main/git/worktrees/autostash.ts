/**
 * Uncommitted changes that Git set aside for a rebase or a merge (`--autostash`, `rebase.autoStash`) and has not put
 * back. Only a file in Git's folder of the worktree names their commit until then.
 */
import path from 'node:path'
import { line, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { readIfPossible } from '../repository/read-git-file.ts'

const places = ['rebase-merge/autostash', 'rebase-apply/autostash', 'MERGE_AUTOSTASH']

/**
 * Moves them to the repository's stash, as Git itself does when such a rebase or merge is ended by `--quit`, before its
 * folder of a worktree is deleted. Resolves with the commit; null if there are none. May be repeated.
 */
export async function keepAutostash(
  git: RunGit,
  { repoDir, adminDir }: { repoDir: string; adminDir: string },
): Promise<string | null> {
  for (const place of places) {
    const id = readIfPossible(path.join(adminDir, place))?.trim() ?? ''
    // A program may have written anything into the file; a stash is a merge of its parts.
    if (!/^[0-9a-f]{40,64}$/.test(id)) continue
    if ((await resolveCommit(git, repoDir, `${id}^2`)) === null) continue
    await store(git, repoDir, id)
    return id
  }
  return null
}

/** Not `git stash store`, which a bare repository refuses. */
async function store(git: RunGit, repoDir: string, id: string): Promise<void> {
  const list = ['reflog', 'show', '--format=%H', 'refs/stash', '--']
  const kept = await git(list, { cwd: repoDir, okExitCodes: [0, 128] })
  if (line(kept).split('\n').includes(id)) return
  const message = 'autostash of a worktree that was removed'
  await git(['update-ref', '--create-reflog', '-m', message, 'refs/stash', id], { cwd: repoDir })
}
