/**
 * Finds files that a snapshot of a working tree lacks: ignored ones, those whose changes Git is configured to ignore, and
 * those that can't be stored.
 */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { fields, type RunGit } from '../command/run-git.ts'
import { findUnstorable } from './index-updates.ts'

/**
 * Returns paths relative to `dir`, which is the working tree's root; an untracked folder ends in a
 * slash. A tracked file with the flag skip-worktree or assume-unchanged is listed whether it was
 * changed or not.
 */
export async function notInSnapshot(git: RunGit, dir: string): Promise<string[]> {
  const ignored = await git(
    ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'],
    { cwd: dir },
  )
  const marked: string[] = []
  for (const entry of fields((await git(['ls-files', '-v', '-z'], { cwd: dir })).stdout)) {
    // `S`: skip-worktree; a lower-case letter: assume-unchanged.
    if (!/^(S|[a-z]) /.test(entry)) continue
    const name = entry.slice(2)
    // Outside a sparse checkout a file is flagged as well, and missing.
    if (await isThere(path.join(dir, name))) marked.push(name)
  }
  const changed = ['ls-files', '-z', '--others', '--modified', '--exclude-standard']
  const names = fields((await git(changed, { cwd: dir })).stdout).map((one) =>
    Buffer.from(`${one}\0`),
  )
  const unstorable = await findUnstorable(dir, names)
  return [
    ...fields(ignored.stdout),
    ...marked,
    ...unstorable.map(({ name }) => name.toString('utf8', 0, name.length - 1)),
  ]
}

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )
