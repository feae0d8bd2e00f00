/** The difference between two trees, parsed from Git's machine-readable output. */
import { posix } from 'node:path'
import { fields, line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { readGitDir } from '../repository/git-dir.ts'

export interface TreeChange {
  /** `T`: the type changed, for example to a symbolic link. */
  status: 'A' | 'M' | 'D' | 'T' | 'R'
  path: string
  /** The path before a rename; only if renames were requested. */
  oldPath: string | null
  oldMode: string
  newMode: string
  /** All zeros if there is none. */
  oldId: string
  newId: string
}

interface Trees {
  dir: string
  from: string
  to: string
  signal?: AbortSignal | undefined
}

/** The mode of a submodule's entry in a tree. */
export const submoduleMode = '160000'
export const symlinkMode = '120000'

/**
 * A plumbing command, so that neither the user's `diff.*` settings nor an external diff program
 * apply.
 */
export const diffTree = [
  'diff-tree',
  '-r',
  '--full-index',
  // Otherwise Git reads `.gitmodules`, which may hide a submodule, and fails if the file is invalid.
  ...notIntoSubmodules,
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/** Returns every changed path, without rename detection. `from` and `to` are trees or commits. */
export async function treeChanges(
  git: RunGit,
  { dir, from, to, signal }: Trees,
): Promise<TreeChange[]> {
  const args = [...diffTree, '--no-renames', '--raw', '-z', from, to]
  const parts = fields((await git(args, { cwd: dir, signal })).stdout)
  return readRaw(parts).changes
}

/** Returns the changed paths, both names of a renamed file, sorted. */
export async function changedTreePaths(git: RunGit, trees: Trees): Promise<string[]> {
  return (await treeChanges(git, trees)).map((change) => change.path).sort()
}

export interface TreeDifference {
  change: 'added' | 'modified' | 'deleted' | 'renamed'
  /** Relative to the requested folder; `../` leads out of it, but not out of the repository. */
  path: string
  /** The path before a rename. */
  oldPath: string | null
  /** Object ids of the contents; all zeros if there is none. */
  oldId: string
  newId: string
  /**
   * Whether the new entry (or the old one if there is no new one) is a regular file, not a link or
   * a submodule.
   */
  isFile: boolean
}

/**
 * Returns the changes with renames, with paths relative to the folder `dir`. `from` and `to` are
 * trees or commits.
 */
export async function treeDifferences(
  git: RunGit,
  { dir, from, to, signal }: Trees,
): Promise<TreeDifference[]> {
  if (from === to) return []
  const prefix = await prefixOf(git, dir, signal)
  const args = [...diffTree, '--find-renames', '--raw', '-z', from, to]
  const { changes } = readRaw(fields((await git(args, { cwd: dir, signal })).stdout))
  const relativeTo = (path: string) => (prefix === '' ? path : posix.relative(prefix, path))
  return changes.map(({ status, path, oldPath, oldMode, newMode, oldId, newId }) => ({
    change: changeOfStatus[status],
    path: relativeTo(path),
    oldPath: oldPath === null ? null : relativeTo(oldPath),
    oldId,
    newId,
    isFile: (status === 'D' ? oldMode : newMode).startsWith('100'),
  }))
}

/**
 * Returns the prefix of the paths in `dir`; empty in the root of a working tree, which needs no Git
 * process.
 */
export async function prefixOf(
  git: RunGit,
  dir: string,
  signal?: AbortSignal | undefined,
): Promise<string> {
  if (readGitDir(dir) !== null) return ''
  return line(await git(['rev-parse', '--show-prefix'], { cwd: dir, signal }))
}

export const changeOfStatus: Record<TreeChange['status'], TreeDifference['change']> = {
  A: 'added',
  M: 'modified',
  T: 'modified',
  D: 'deleted',
  R: 'renamed',
}

/** Reads `--raw -z` records; `rest` is the index where the next kind of record begins. */
export function readRaw(parts: readonly string[]): { changes: TreeChange[]; rest: number } {
  const changes: TreeChange[] = []
  let at = 0
  while (parts[at]?.startsWith(':')) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', score = ''] = (parts[at] ?? '')
      .slice(1)
      .split(' ')
    const status = score.charAt(0) as TreeChange['status']
    const renamed = status === 'R'
    const oldPath = renamed ? (parts[at + 1] ?? '') : null
    const path = parts[at + (renamed ? 2 : 1)] ?? ''
    changes.push({ status, path, oldPath, oldMode, newMode, oldId, newId })
    at += renamed ? 3 : 2
  }
  return { changes, rest: at }
}
