/** Folders that Git reads besides those of the repository in which it runs: a call names them, or another repository. */
import path from 'node:path'
import { orNull } from '../repository/file-facts.ts'
import { readGitBytes } from '../repository/read-git-file.ts'
import type { GitRunOptions } from './run-git.ts'

/** An honest repository borrows from one or two. */
const borrowedMax = 1_000
/** Git follows folders that borrow themselves to this depth. */
const borrowedDepthMax = 5
/** No system has longer paths, also where each byte is quoted as `\123`. What Git waits for there ends as idle. */
const lineCharsMax = 4 * 4096

export const tooManyBorrowed = `the repository borrows objects from more than ${borrowedMax.toLocaleString('en')} folders, and Git may wait for one of them: see .git/objects/info/alternates`

/** Returns the folders of repositories that a call names, besides the one that contains its folder. */
export function namedFoldersIn(args: readonly string[], env: GitRunOptions['env'] = {}): string[] {
  const { GIT_DIR = '', GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed = '' } = env
  const gitDir = args[0] === '--git-dir' ? (args[1] ?? '') : GIT_DIR
  return [gitDir, ...listed(borrowed)].filter(path.isAbsolute)
}

/** Splits a list of paths of which some are quoted, because they contain the separator. */
const listed = (paths: string): string[] =>
  [...paths.matchAll(pathOrQuoted)].map(([one]) => withoutQuotes(one))
const pathOrQuoted = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|[^${path.delimiter}]+`, 'gs')

/** A folder that a call names is a repository, or holds objects. */
export const objectsIn = (folder: string): string[] => [folder, path.join(folder, 'objects')]

/**
 * Returns the folders that the given ones with objects name, and those that these name. Paths are handled as Latin-1,
 * because they need not be UTF-8. Null if there are too many to look into each.
 */
export function borrowedBy(objects: readonly string[]): Buffer[] | null {
  const all = new Set<string>()
  let level = objects.map((folder) => Buffer.from(folder).toString('latin1'))
  for (let depth = 0; depth <= borrowedDepthMax && level.length > 0; depth++) {
    const next = new Set(level.flatMap(namedBy).filter((folder) => !all.has(folder)))
    if (all.size + next.size > borrowedMax) return null
    level = [...next]
    for (const folder of level) all.add(folder)
  }
  return [...all].map((folder) => Buffer.from(folder, 'latin1'))
}

function namedBy(objects: string): string[] {
  const named: string[] = []
  const text = textOf(path.join(objects, 'info', 'alternates')) ?? ''
  for (const [line] of text.matchAll(/^[^#\n].*$/gm)) {
    if (line.length <= lineCharsMax) named.push(path.resolve(objects, withoutQuotes(line)))
    if (named.length > borrowedMax) break
  }
  return named
}

/** Git quotes a path as C does. No path needs an escaped letter, such as `\n`, here. */
function withoutQuotes(line: string): string {
  const [, quoted] = /^"(.*)"$/s.exec(line) ?? []
  if (quoted === undefined) return line
  return quoted.replace(/\\([0-7]{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : escaped,
  )
}

/** `file` and the text are Latin-1. Null for a file that can't be read. */
export const textOf = (file: string): string | null =>
  orNull(() => readGitBytes(Buffer.from(file, 'latin1')).toString('latin1'))
