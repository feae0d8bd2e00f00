/**
 * Finds files that a snapshot of a working tree lacks: ignored ones, those whose changes Git is configured to ignore,
 * those that can't be stored, and repositories.
 */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { fields, type RunGit } from '../command/run-git.ts'
import { findRefused, findUnstorable, unreadableFolders } from './index-updates.ts'
import { withScratchDir } from './scratch-dir.ts'

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
  const listed = await git(changed, { cwd: dir })
  const names = splitNames(listed.stdout)
  const files = names.filter((name) => !isFolder(name))
  const unreadable = await findUnstorable(dir, files)
  const without = new Set(unreadable.map(({ name }) => name))
  const refused = await withScratchDir(git, (scratchDir) =>
    findRefused(
      git,
      { cwd: dir, env: { GIT_INDEX_FILE: path.join(scratchDir, 'index') }, signal: undefined },
      files.filter((name) => !without.has(name)),
    ),
  )
  const unstorable = [...unreadable, ...refused].map(({ name }) => name)
  const unlisted = unreadableFolders(listed.stderr).map(({ name }) => name)
  const folders = [...names.filter(isFolder), ...unlisted]
  return [
    ...fields(ignored.stdout),
    ...marked,
    ...new Set(
      [...unstorable, ...folders].map((name) => name.toString('utf8', 0, name.length - 1)),
    ),
  ]
}

/** Names end in NUL each, as bytes because a name need not be UTF-8. */
function splitNames(data: Buffer): Buffer[] {
  const names: Buffer[] = []
  for (let start = 0; start < data.length; ) {
    const end = data.indexOf(0, start) + 1
    names.push(data.subarray(start, end))
    start = end
  }
  return names
}

const isFolder = (name: Buffer): boolean => name[name.length - 2] === 0x2f

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )
