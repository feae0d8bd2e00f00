import { exists, renameDurable } from './durable-files.ts'

/**
 * Renames a file or folder that is about to be replaced to `<path>.<why>-<n>`. Resolves with the
 * new path once it is durable, or null if nothing is at `path`.
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
