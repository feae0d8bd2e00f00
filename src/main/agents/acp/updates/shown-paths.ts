/** How the paths that an agent names stand in the record: relative to the folder of its task where they are inside it. */
import { isAbsolute, relative, resolve, sep } from 'node:path'

export type ShownPath = (path: string) => string

/** `cwd`: the folder from which the agent names paths. `top`: that of its task. Both absolute. */
export function shownPathIn(cwd: string, top: string): ShownPath {
  return (path) => {
    if (!isAbsolute(path) && cwd === top) return path
    const absolute = resolve(cwd, path)
    const inside = relative(top, absolute)
    const isOutside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
    if (inside === '' || isOutside) return absolute
    return inside.split(sep).join('/')
  }
}
