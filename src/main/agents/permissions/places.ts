/** Where paths lead, with symbolic links followed as they are when it is decided. The tools are no jail. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { isGitName } from '../../../shared/git-names.ts'
import { systemCode } from '../../journal/index.ts'

export interface Place {
  /** Absolute. */
  workingDir: string
  /** Where the shell stands. Absolute. */
  cwd: string
}

/**
 * `relative`: null where it is only known that it is inside. `names`: from the working directory, each one that it may
 * have, by its text and with links followed.
 */
export type PathFound =
  | { inside: true; relative: string | null; names: string[] }
  | { inside: false }

const outside: PathFound = { inside: false }

/** The path of a command, which the system follows link by link. `folders`: where the shell may stand, if it moved. */
export function findPath(
  path: string,
  { workingDir, cwd }: Place,
  folders: readonly string[] = [cwd],
): PathFound {
  if (path.startsWith('~') || path.includes('\0')) return outside
  if (folders.length > 1 && !isAbsolute(path) && path.split('/').includes('..')) return outside
  const names: string[] = []
  for (const folder of folders) {
    const found = findIn(workingDir, isAbsolute(path) ? path : `${folder}${sep}${path}`)
    if (!found.inside) return outside
    names.push(...found.names)
  }
  const [name = null] = names
  const isOne = folders.length === 1 || isAbsolute(path)
  return { inside: true, relative: isOne ? name : null, names: [...new Set(names)] }
}

/** The path of a file tool, which takes `..` out by the text and knows no `~`. */
export function findEdited(path: string, workingDir: string): PathFound {
  return path.includes('\0') ? outside : findIn(workingDir, resolve(workingDir, path))
}

/** Far more files than anybody looks at by one pattern. */
const globFilesMax = 2_000

/** Whether all files are inside that the pattern may match. A star counts as any name. */
export function isGlobInside(
  pattern: string,
  place: Place,
  folders: readonly string[] = [place.cwd],
): boolean {
  if (!findPath(pattern, place, folders).inside) return false
  const parts = pattern.split('/')
  const first = parts.findIndex(isGlobPart)
  if (parts.some((part) => isGlobPart(part) && part.startsWith('.'))) return false
  if (first >= 0 && parts.slice(first).includes('..')) return false
  let paths = folders.map((folder) => (isAbsolute(pattern) ? sep : folder))
  for (const [at, part] of parts.entries()) {
    paths = isGlobPart(part)
      ? paths.flatMap((path) => namesIn(path, part).map((name) => `${path}${sep}${name}`))
      : paths.map((path) => `${path}${sep}${part}`)
    if (paths.length > globFilesMax) return false
    if (at >= first && !paths.every((one) => findIn(place.workingDir, one).inside)) return false
  }
  return true
}

const isGlobPart = (part: string): boolean => /[*?[]/.test(part)

/** Those that begin as the pattern does. */
function namesIn(folder: string, pattern: string): string[] {
  const [start = ''] = pattern.split(/[*?[\\]/)
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.') && name.startsWith(start))
  } catch {
    return []
  }
}

/** Whether an agent may write there at all: not outside, and nothing of Git's own. */
export function mayBeWritten(found: PathFound): boolean {
  return found.inside && !found.names.some((name) => name.split('/').some(isGitName))
}

/** `path`: absolute, and may hold `..`. */
function findIn(workingDir: string, path: string): PathFound {
  const root = followed(workingDir)
  const real = followed(path)
  if (root === null || real === null) return outside
  const text = resolve(path)
  const way = wayTo(root, real)
  const byText = wayTo(workingDir, text) ?? wayTo(root, text)
  if (way === null || byText === null) return outside
  return { inside: true, relative: way, names: [way, byText] }
}

/** Null: it leads out. */
function wayTo(dir: string, path: string): string | null {
  const way = relative(dir, path)
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return null
  return way.split(sep).join('/')
}

/** As many as Linux follows. */
const linksMax = 40
const separators = sep === '/' ? '/' : /[\\/]/

/** An absolute path without links, as the system finds it; what does not exist is as it is written. Null: unknown. */
function followed(path: string): string | null {
  let at = parse(path).root
  const parts = path.slice(at.length).split(separators)
  for (let links = 0, part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, part)
    // Its links differ from process to process.
    if (next === '/proc') return null
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

/** Where the link leads; undefined: no link; null: unknown. */
function linkAt(path: string): string | null | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
      ? readlinkSync(path)
      : undefined
  } catch (error) {
    return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemCode(error)) ? undefined : null
  }
}
