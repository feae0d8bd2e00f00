/** How much is left of a worktree in the trash. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Files, links included, and their bytes. `skipped`: folders relative to `dir`, with `/`. A lone file counts. */
export async function measure(
  dir: string,
  skipped: ReadonlySet<string> = new Set(),
): Promise<{ files: number; bytes: number }> {
  const total = { files: 0, bytes: 0 }
  await look('')
  return total

  async function look(below: string): Promise<void> {
    const stats = await lstat(join(dir, below)).catch(() => null)
    if (!stats) return
    if (!stats.isDirectory()) {
      total.files++
      if (stats.isFile()) total.bytes += stats.size
      return
    }
    for (const name of await readdir(join(dir, below)).catch(() => [])) {
      const path = below === '' ? name : `${below}/${name}`
      if (!skipped.has(path)) await look(path)
    }
  }
}
