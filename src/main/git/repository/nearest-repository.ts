import { stat } from 'node:fs/promises'
import path from 'node:path'
import { exists } from './exists.ts'

/** The nearest folder from `dir` up that Git keeps a repository in or for. */
export async function nearestRepository(dir: string): Promise<string | null> {
  for (let at = dir; ; at = path.dirname(at)) {
    const found = await stat(path.join(at, '.git')).catch(() => null)
    // Git passes over a folder of that name that is no repository.
    const isOne = found?.isDirectory()
      ? await exists(path.join(at, '.git', 'HEAD'))
      : found !== null
    if (isOne) return at
    if (path.dirname(at) === at) return null
  }
}
