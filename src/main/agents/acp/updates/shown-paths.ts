/** Converts an agent's paths for the record: paths inside the folder of its task become relative to it. */
import { isAbsolute, resolve } from 'node:path'
import { pathWithin } from '../../../journal/index.ts'

export type ShownPath = (path: string) => string

/** `cwd` is the folder to which the agent's relative paths refer, `top` the folder of its task. Both absolute. */
export function shownPathIn(cwd: string, top: string): ShownPath {
  return (path) => {
    if (!isAbsolute(path) && cwd === top) return path
    // Kept, since the system goes up from where a link leads.
    if (path.split('/').includes('..')) return isAbsolute(path) ? path : `${cwd}/${path}`
    const absolute = resolve(cwd, path)
    // The folder itself stays absolute.
    return pathWithin(top, absolute) || absolute
  }
}
