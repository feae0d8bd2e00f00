/** Measures the leftovers of a worktree in the trash. */
import { lstat, readdir } from 'node:fs/promises'
import { createMountCheck, type RawPath, rawJoin, systemCode } from '../../journal/index.ts'

/**
 * Returns the number of files, links included, and their bytes. `skipped` are folders relative to
 * `dir`, with `/`. A lone file counts; what may not be read, is mounted there, or has a path that is too long counts as one.
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
    const stats = await lstat(place).catch((error) =>
      systemCode(error) === 'ENAMETOOLONG' ? 'too-long' : null,
    )
    if (stats === null) return
    if (stats === 'too-long') {
      total.files++
      return
    }
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
