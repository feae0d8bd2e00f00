import { exists, renameDurable } from './durable-files.ts'

/**
 * Keeps a file or folder that is about to be replaced, beside where it was: `<path>.<why>-<n>`.
 * Nothing there is fine. Resolves with the new path once it is durable, or null.
 */
export async function setAside(
  path: string,
  why: 'damaged' | 'older' | 'newer',
): Promise<string | null> {
  if (!(await exists(path))) return null
  for (let n = 1; ; n++) {
    const aside = `${path}.${why}-${n}`
    if (await exists(aside)) continue
    await renameDurable(path, aside)
    return aside
  }
}
