/**
 * Resolves paths, following symbolic links as they are at the time of the decision. This is no
 * security boundary.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import { isGitName } from '../../../shared/git/git-names.ts'
import { isNotUtf8 } from '../../journal/files/raw-path.ts'
import { pathWithin, systemCode } from '../../journal/index.ts'

export interface Place {
  /** Absolute. */
  workingDir: string
  /** The directory of the shell. Absolute. */
  cwd: string
  /** Shiplog's own folder in the working directory, by its path without links (`apartIn`). */
  apart?: string | undefined
  /** The PATH of the shell. Absent: that of this process. */
  programPath?: string | undefined
}

/**
 * `relative` is null if it is only known that the path is inside. `names`: all its possible paths
 * relative to the working directory, as written and with links followed. `isApart`: it is in Shiplog's own folder.
 * `isUnknown`: it may be anywhere, so that a rule about a file in the working directory may be about it.
 */
export type PathFound =
  | { inside: true; relative: string | null; names: string[]; isApart: boolean }
  | { inside: false; isUnknown: boolean }

const outside: PathFound = { inside: false, isUnknown: false }
export const unknownPath: PathFound = { inside: false, isUnknown: true }

/**
 * Resolves a path of a command, which the system follows link by link. `folders`: the directories
 * that the shell may have changed to.
 */
export function findPath(
  path: string,
  place: Place,
  folders: readonly string[] = [place.cwd],
): PathFound {
  // The home folder may be above the working directory, and the shell's own.
  if (path.startsWith('~')) return unknownPath
  if (path.includes('\0')) return outside
  if (folders.length > 1 && !isAbsolute(path) && path.split('/').includes('..')) return unknownPath
  const names: string[] = []
  let isApart = false
  for (const folder of folders) {
    const found = findIn(place, isAbsolute(path) ? path : `${folder}${sep}${path}`)
    if (!found.inside) return folders.length > 1 ? unknownPath : found
    names.push(...found.names)
    isApart ||= found.isApart
  }
  const [name = null] = names
  const isOne = folders.length === 1 || isAbsolute(path)
  return { inside: true, relative: isOne ? name : null, names: [...new Set(names)], isApart }
}

/** Resolves a path of a file tool, which removes `..` textually and does not expand `~`. */
export function findEdited(path: string, place: Omit<Place, 'cwd'>): PathFound {
  return path.includes('\0') ? outside : findIn(place, resolve(place.workingDir, path))
}

/**
 * Returns the data directory if it is in the working directory, as in a project that is the home folder: an agent that
 * changes it unasked could allow itself everything from the next start on, and its token is in it. A worktree is in the
 * data directory itself.
 */
export function apartIn(workingDir: string, dataDir: string): string | undefined {
  const [root, apart] = [resolveLinks(workingDir), resolveLinks(dataDir)]
  return root !== null && apart !== null && pathWithin(root, apart) !== null ? apart : undefined
}

/** Returns the form of a path in which names are equal that some file system takes for the same, such as `ſ` and `S`. */
export const comparable = (path: string): string => inAnyCase(path.normalize('NFC'))

const inAnyCase = (text: string): string => text.toUpperCase().toLowerCase()

/** Far more files than one pattern usefully matches. */
const globFilesMax = 2_000

/** Reports whether all files that the pattern may match are inside. A star matches any name. */
export function isGlobInside(
  pattern: string,
  place: Place,
  folders: readonly string[] = [place.cwd],
): boolean {
  if (!mayBeRead(findPath(pattern, place, folders)) || isReadOtherwise(pattern, folders))
    return false
  // With `extendedglob` of zsh, `key~b*` matches `key`: all but what follows.
  if (pattern.includes('~')) return false
  const parts = pattern.split('/')
  const first = parts.findIndex(isGlobPart)
  if (parts.some((part) => isGlobPart(part) && part.startsWith('.'))) return false
  if (first >= 0 && parts.slice(first).includes('..')) return false
  let paths = folders.map((folder) => (isAbsolute(pattern) ? sep : folder))
  for (const [at, part] of parts.entries()) {
    paths = paths.flatMap((path) => {
      if (part === '**') return allBelow(path)
      const names = isGlobPart(part) ? matchingNames(path, part) : namesLike(path, part)
      return names.map((name) => `${path}${sep}${name}`)
    })
    if (paths.length > globFilesMax) return false
    if (at >= first && !paths.every((one) => mayBeRead(findIn(place, one)))) return false
  }
  return true
}

/** Reports whether the pattern may match a name that a program or a further shell takes for something else. */
export function isReadOtherwise(pattern: string, folders: readonly string[]): boolean {
  const [first = ''] = pattern.split('/')
  const names = isGlobPart(first) ? folders.flatMap((one) => matchingNames(one, first)) : []
  return names.some(isMisread)
}

/** Reports whether a program or a further shell takes the name of a file for something else. */
export const isMisread = (name: string): boolean => misread.test(name)

/** Options, variables, files of arguments, and what a shell expands. */
const misread = /^(?:[-@]|\w+=)|["$`\\]/

const isGlobPart = (part: string): boolean => /[*?[]/.test(part)

/**
 * Returns the folder and all that is below it, links not followed, for a user whose settings have `globstar`. More than can
 * be checked if there is more.
 */
function allBelow(folder: string): string[] {
  const paths = [folder]
  for (const path of paths) {
    if (paths.length > globFilesMax) break
    if (path === folder || linkAt(path) === undefined)
      paths.push(...matchingNames(path, '').map((name) => `${path}${sep}${name}`))
  }
  return paths
}

/**
 * Returns the files whose names begin like the pattern. A superset of those that match: with `dotglob`, a star matches names
 * that begin with a dot, and with `nocaseglob` letters match in either case.
 */
function matchingNames(folder: string, pattern: string): string[] {
  const [start = ''] = pattern.split(/[*?[\\]/)
  return namesIn(folder).filter((name) =>
    [inAnyCase, comparable].some((form) => form(name).startsWith(form(start))),
  )
}

/** Returns the name itself and those that `nocaseglob` of zsh takes for it, since it is beside a part that is a pattern. */
function namesLike(folder: string, part: string): string[] {
  if (part === '' || part === '.' || part === '..') return [part]
  const form = comparable(part)
  return [...new Set([part, ...namesIn(folder).filter((name) => comparable(name) === form)])]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Reports whether an agent may look at it: not outside, and not in Shiplog's own folder. */
export const mayBeRead = (found: PathFound): boolean => found.inside && !found.isApart

/** Reports whether an agent may write there at all: also not in Git's own files. */
export function mayBeWritten(found: PathFound): boolean {
  return (
    found.inside && mayBeRead(found) && !found.names.some((name) => name.split('/').some(isGitName))
  )
}

/**
 * Reports whether a program of this name may be the working directory's own: after `.venv/bin/activate`, the PATH has a
 * folder in which an agent may change files. This process's own relative entries are not passed on.
 */
export function isProgramOf({ workingDir, programPath }: Place, name: string): boolean {
  const root = resolveLinks(workingDir)
  return (programPath ?? process.env.PATH ?? '').split(delimiter).some((dir) => {
    if (!isAbsolute(dir)) return programPath !== undefined
    if (!existsSync(join(dir, name))) return false
    const real = resolveLinks(dir)
    return root === null || real === null || pathWithin(root, real) !== null
  })
}

/** `path` is absolute and may contain `..`. */
function findIn({ workingDir, apart }: Omit<Place, 'cwd'>, path: string): PathFound {
  const root = resolveLinks(workingDir)
  const real = resolveLinks(path)
  if (root === null || real === null) return unknownPath
  const text = resolve(path)
  const byLinks = pathWithin(root, real)
  const byText = pathWithin(workingDir, text) ?? pathWithin(root, text)
  if (byLinks === null || byText === null) return outside
  const isApart = apart !== undefined && pathWithin(apart, real) !== null
  return { inside: true, relative: byLinks, names: [byLinks, byText], isApart }
}

/** The same limit as on Linux. */
const linksMax = 40
const separators = sep === '/' ? '/' : /[\\/]/

/** Returns the absolute path without links; missing parts stay as written. Null if unknown. */
function resolveLinks(path: string): string | null {
  let at = parse(path).root
  const parts = path.slice(at.length).split(separators)
  for (let links = 0, part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, part)
    // Links in /proc differ between processes. A name that is not UTF-8 was read as another one, which is no link.
    if (next === '/proc' || isNotUtf8(part)) return null
    const target = linkAt(next)
    if (target === undefined) {
      at = next
      continue
    }
    if (target === null || ++links > linksMax) return null
    const { root } = parse(target)
    if (root !== '') at = root
    parts.unshift(...target.slice(root.length).split(separators))
  }
  return at
}

/** The most bytes that a name may have on any usual file system. */
const nameMax = 255

/** Returns the target of the link; undefined if it is none; null if unknown. */
function linkAt(path: string): string | null | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
      ? readlinkSync(path)
      : undefined
  } catch (error) {
    // The system may take the path from another folder, where it is shorter; a name it takes nowhere.
    if (systemCode(error) === 'ENAMETOOLONG')
      return Buffer.byteLength(basename(path)) > nameMax ? undefined : null
    return ['ENOENT', 'ENOTDIR'].includes(systemCode(error)) ? undefined : null
  }
}
