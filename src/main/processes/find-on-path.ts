/**
 * Finds programs on a PATH. Only its absolute entries count: an empty or relative one is looked up in the working
 * directory of the started program, which may be a repository with a program of that name. Windows searches that
 * directory first for any name without a folder, so callers start the file that was found here.
 */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** What Windows can start, scripts last, because those need a shell. */
const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', '.com'] : ['']

/** Returns the absolute path of a program; null if it is not installed. */
export async function findOnPath(path: string, program: string): Promise<string | null> {
  for (const dir of path.split(delimiter).filter(isAbsolute))
    for (const ending of endings) {
      const file = join(dir, program + ending)
      if (await isProgram(file)) return file
    }
  return null
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** Returns a PATH without the entries that `findOnPath` ignores. */
export const absoluteEntries = (path: string): string =>
  path.split(delimiter).filter(isAbsolute).join(delimiter)
