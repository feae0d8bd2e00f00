import { isAbsolute, relative, sep } from 'node:path'

/** Whether an absolute path is a folder or inside it. Compares the texts of the paths, and resolves no links. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}
