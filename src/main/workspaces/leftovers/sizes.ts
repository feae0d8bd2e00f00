/** Measures the leftovers of a worktree in the trash. */
import { lstat, readdir } from 'node:fs/promises'
import { createMountCheck, type RawPath, rawJoin } from '../../journal/index.ts'

/**
 * Returns the number of files, links included, and their bytes. `skipped` are folders relative to
 * `dir`, with `/`. A lone file counts; a folder that may not be read, and one that is mounted there, count as one.
 */
export async function measure(
  dir: string,
  skipped: ReadonlySet<string> = new Set(),
): Promise<{ files: number; bytes: number }> {
  const total = { files: 0, bytes: 0 }
  const isMount = await createMountCheck(dir)
  await visit(dir, '')
  return total

  async function visit(place: RawPath, below: string): Promise<void> {
    const stats = await lstat(place).catch(() => null)
    if (!stats) return
    if (!stats.isDirectory()) {
      total.files++
      if (stats.isFile()) total.bytes += stats.size
      return
    }
    const names = (await isMount(place))
      ? null
      : await readdir(place, { encoding: 'buffer' }).catch(() => null)
    if (names === null) total.files++
    for (const name of names ?? []) {
      const path = below === '' ? String(name) : `${below}/${name}`
      if (!skipped.has(path)) await visit(rawJoin(place, name), path)
    }
  }
}
