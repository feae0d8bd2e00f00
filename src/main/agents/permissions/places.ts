/** Where the paths of a command lead, by their text. Links are not followed: the tools are no jail. */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isGitName } from '../../../shared/git-names.ts'

export interface Place {
  /** Absolute. */
  workingDir: string
  /** Where the shell stands. Absolute. */
  cwd: string
}

/** `relative`: null where it is only known that it is inside. */
export type PathFound = { inside: true; relative: string | null } | { inside: false }

const outside: PathFound = { inside: false }

/** `moved`: a `cd` of the same command came before, to a folder within the working directory. */
export function findPath(path: string, { workingDir, cwd }: Place, moved = false): PathFound {
  if (path.startsWith('~') || path.includes('\0')) return outside
  const parts = path.split('/')
  if (moved && !isAbsolute(path))
    return parts.includes('..') ? outside : { inside: true, relative: null }
  const found = relative(workingDir, resolve(cwd, path))
  if (found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return outside
  return { inside: true, relative: found.split(sep).join('/') }
}

/** Whether an agent may write there at all: not outside, and nothing of Git's own. */
export function mayBeWritten(path: string, found: PathFound): boolean {
  return found.inside && !(found.relative ?? path).split('/').some(isGitName)
}
