/** Adds paths to an index, except those that no index can hold, and removes paths from it. */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import type { RunGit } from '../command/run-git.ts'
import { mapConcurrently } from '../update/map-concurrently.ts'

export interface IndexRun {
  /** The top level of the working tree. */
  cwd: string
  env: Record<string, string>
  signal: AbortSignal | undefined
}

export interface Unstorable {
  /** The path, terminated by NUL. Bytes, because a name need not be UTF-8. */
  name: Buffer
  /**
   * `special`: a pipe, a socket or a device in the place of a tracked file; `name`: Git refuses the name, such as
   * `.GIT/config`, or a symbolic link of that name; `path-length`: the path is longer than the system allows, so only
   * programs that go there folder by folder can open it.
   */
  why: 'unreadable' | 'special' | 'name' | 'path-length'
}

/**
 * Adds paths, each terminated by NUL. Returns those that were left out, whose entries in the index are unchanged.
 * Throws GitError.
 */
export async function addToIndex(
  git: RunGit,
  run: IndexRun,
  listed: readonly Buffer[],
): Promise<Unstorable[]> {
  // Entries that a program wrote into the index by itself; Git would refuse to continue.
  const names = listed.filter((name) => !leadsOutside(name))
  try {
    return await tryToAdd(git, run, names)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    // Git stops at the first path that it can't add, without changing the index.
    const beyond = await beyondLinks(run.cwd, names)
    const inside = names.filter((name) => !beyond.has(name))
    const unstorable = await findUnstorable(run.cwd, inside)
    if (unstorable.length === 0 && beyond.size === 0) throw error
    await dropFromIndex(git, run, Buffer.concat([...beyond]))
    const without = new Set(unstorable.map(({ name }) => name))
    const others = inside.filter((name) => !without.has(name))
    return [...unstorable, ...(await tryToAdd(git, run, others))]
  }
}

/** Returns the paths whose names Git refused. Git reports each of these and continues. */
async function tryToAdd(
  git: RunGit,
  run: IndexRun,
  names: readonly Buffer[],
  options: readonly string[] = [],
): Promise<Unstorable[]> {
  const said = await updateIndex(git, run, Buffer.concat(names), options)
  if (!said.includes('Ignoring path')) return []
  const { stdout } = await git(['ls-files', '-z', '--cached'], run)
  const held = new Set(stdout.toString('latin1').split('\0'))
  const missing = names.filter((name) => !held.has(name.toString('latin1', 0, name.length - 1)))
  const found = await mapConcurrently(missing, async (name): Promise<Unstorable[]> => {
    const isThere = await lstat(fileOf(run.cwd, name)).then(
      (stats) => !stats.isDirectory(),
      () => false,
    )
    return isThere ? [{ name, why: 'name' }] : []
  })
  return found.flat()
}

/** Returns the paths whose names Git refuses. `run` must have a temporary index. Writes no object. */
export function findRefused(
  git: RunGit,
  run: IndexRun,
  names: readonly Buffer[],
): Promise<Unstorable[]> {
  // Git removes these characters before it compares, as macOS does.
  const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
  const suspects = names.filter((name) =>
    /(^|\/)(\.git|git~)/i.test(name.toString().replace(ignored, '')),
  )
  return tryToAdd(git, run, suspects, ['--info-only'])
}

/** Adds and removes paths, each terminated by NUL. Returns Git's error output. Throws GitError. */
export async function updateIndex(
  git: RunGit,
  run: IndexRun,
  names: Buffer,
  options: readonly string[] = [],
): Promise<string> {
  if (names.length === 0) return ''
  // `--remove`: a file that was deleted since it was listed is no error.
  const args = ['update-index', ...options, '--add', '--remove', '--replace', '-z', '--stdin']
  return (await git(args, { ...run, input: names })).stderr
}

/** Removes paths, each terminated by NUL, from the index. Missing ones are no error. */
export async function dropFromIndex(git: RunGit, run: IndexRun, names: Buffer): Promise<void> {
  if (names.length === 0) return
  await git(['update-index', '--force-remove', '-z', '--stdin'], { ...run, input: names })
}

/** Returns the paths that can't be read or are neither file, link nor folder. Never throws. */
export async function findUnstorable(
  topLevel: string,
  names: readonly Buffer[],
): Promise<Unstorable[]> {
  const found = await mapConcurrently(names, async (name) => {
    // Git uses paths relative to the top level, so these alone have to fit.
    const isTooLong = name.length > pathBytesMax
    const why = isTooLong ? 'path-length' : await reasonOf(fileOf(topLevel, name))
    return why === null ? [] : [{ name, why }]
  })
  return found.flat()
}

/** Whether a path is absolute, or has an empty part, `.` or `..`. */
const leadsOutside = (name: Buffer): boolean =>
  /(?:^|\/)\.{0,2}\//.test(`${name.toString('latin1', 0, name.length - 1)}/`)

/**
 * Returns the paths below a link that replaced a folder of tracked files. These count as deleted,
 * although the link may lead to files of the same names, which Git lists as changed.
 */
async function beyondLinks(topLevel: string, names: readonly Buffer[]): Promise<Set<Buffer>> {
  const isLink = new Map<string, Promise<boolean>>()
  const leadsOut = async (name: Buffer) => {
    for (let end = name.indexOf(0x2f); end !== -1; end = name.indexOf(0x2f, end + 1)) {
      const key = name.toString('latin1', 0, end)
      const folder = Buffer.concat([Buffer.from(topLevel + path.sep), name.subarray(0, end)])
      const found =
        isLink.get(key) ??
        lstat(folder).then(
          (stats) => stats.isSymbolicLink(),
          () => false,
        )
      isLink.set(key, found)
      if (await found) return true
    }
    return false
  }
  const found = await mapConcurrently(names, async (name) => ((await leadsOut(name)) ? [name] : []))
  return new Set(found.flat())
}

const fileOf = (topLevel: string, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(topLevel + path.sep), name.subarray(0, -1)])

/** The longest path that a call of the system takes, with its NUL. Windows has no such fixed limit. */
const pathBytesMax =
  { darwin: 1024, win32: Number.POSITIVE_INFINITY }[process.platform as string] ?? 4096

/**
 * Returns the folders that Git could not list, from its warnings, each with a slash and a NUL. Git prints a question mark
 * for each control character, and cuts a long warning: then the nearest folder above that the rest names.
 */
export const unreadableFolders = (stderr: string): Unstorable[] =>
  [...stderr.matchAll(/^warning: could not open directory '(.+\/)(?:': (.*)|[^/]*)$/gm)].map(
    ([, name, reason]) => ({
      name: Buffer.from(`${name}\0`),
      why: reason === undefined || reason === 'File name too long' ? 'path-length' : 'unreadable',
    }),
  )

async function reasonOf(file: Buffer): Promise<Unstorable['why'] | null> {
  try {
    const found = await lstat(file)
    if (found.isSymbolicLink() || found.isDirectory()) return null
    if (!found.isFile()) return 'special'
    // Only opening it shows whether it can be read, because access control lists override the mode.
    await (await open(file, constants.O_RDONLY | constants.O_NONBLOCK)).close()
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' || code === 'EPERM' ? 'unreadable' : null
  }
}
