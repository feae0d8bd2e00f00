import { isAbsolute, relative, sep } from 'node:path'

/** Whether an absolute path is a folder or inside it. Compares the texts of the paths, and resolves no links. */
export const isInside = (folder: string, path: string): boolean => pathWithin(folder, path) !== null

/** Returns `path` relative to `folder`, with `/` as separator; empty for the folder itself, null if outside. */
export function pathWithin(folder: string, path: string): string | null {
  const below = relative(folder, path)
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return null
  return below.split(sep).join('/')
}
