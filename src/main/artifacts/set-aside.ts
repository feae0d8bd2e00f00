import { lstat } from 'node:fs/promises'
import { renameDurable } from '../journal/index.ts'

/**
 * Keeps a file or folder that is about to be replaced, beside where it was: `<path>.<why>-<n>`.
 * Nothing there is fine. Resolves with the new path once it is durable, or null.
 */
export async function setAside(path: string, why: 'damaged' | 'older'): Promise<string | null> {
  if (!(await exists(path))) return null
  for (let n = 1; ; n++) {
    const aside = `${path}.${why}-${n}`
    if (await exists(aside)) continue
    await renameDurable(path, aside)
    return aside
  }
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}
