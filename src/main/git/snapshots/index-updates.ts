/** Adds paths to an index, without those that no index can hold, and removes them from it. */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import type { RunGit } from '../command/run-git.ts'
import { mapAtOnce } from '../update/at-once.ts'

export interface IndexRun {
  /** The top level of the working tree. */
  cwd: string
  env: Record<string, string>
  signal: AbortSignal | undefined
}

export interface Unstorable {
  /** With its NUL, as bytes because a name need not be UTF-8. */
  name: Buffer
  /** `special`: a pipe, a socket or a device in the place of a tracked file. */
  why: 'unreadable' | 'special'
}

/** `names` end in NUL each. Returns those that were left out: the index has what it had for them. */
export async function addToIndex(
  git: RunGit,
  run: IndexRun,
  names: readonly Buffer[],
): Promise<Unstorable[]> {
  try {
    await updateIndex(git, run, Buffer.concat(names))
    return []
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    // Git gives up at the first of them, and has changed nothing.
    const unstorable = await findUnstorable(run.cwd, names)
    if (unstorable.length === 0) throw error
    const without = new Set(unstorable.map(({ name }) => name))
    await updateIndex(git, run, Buffer.concat(names.filter((name) => !without.has(name))))
    return unstorable
  }
}

export async function updateIndex(git: RunGit, run: IndexRun, names: Buffer): Promise<void> {
  if (names.length === 0) return
  // `--remove`: a file that was deleted since it was listed is no error.
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
  await git(args, { ...run, input: names })
}

/** Drops files that grew too large after they were added. */
export async function dropFromIndex(git: RunGit, run: IndexRun, names: Buffer): Promise<void> {
  if (names.length === 0) return
  await git(['update-index', '--force-remove', '-z', '--stdin'], { ...run, input: names })
}

export async function findUnstorable(
  topLevel: string,
  names: readonly Buffer[],
): Promise<Unstorable[]> {
  const found = await mapAtOnce(names, async (name) => {
    const file = Buffer.concat([Buffer.from(topLevel + path.sep), name.subarray(0, -1)])
    const why = await reasonOf(file)
    return why === null ? [] : [{ name, why }]
  })
  return found.flat()
}

async function reasonOf(file: Buffer): Promise<Unstorable['why'] | null> {
  try {
    const found = await lstat(file)
    if (found.isSymbolicLink() || found.isDirectory()) return null
    if (!found.isFile()) return 'special'
    // Only opening it shows whether it can be opened: there are lists of access beside the mode.
    await (await open(file, constants.O_RDONLY | constants.O_NONBLOCK)).close()
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' || code === 'EPERM' ? 'unreadable' : null
  }
}
