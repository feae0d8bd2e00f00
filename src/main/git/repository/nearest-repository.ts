import path from 'node:path'
import { exists, statOf } from './file-facts.ts'

/** Returns the nearest folder from `dir` upwards that has a `.git`. */
export function nearestRepository(dir: string): string | null {
  for (let at = dir; ; at = path.dirname(at)) {
    const found = statOf(path.join(at, '.git'))
    // Git skips a `.git` folder that is no repository.
    const isOne = found?.isDirectory() ? exists(path.join(at, '.git', 'HEAD')) : found !== null
    if (isOne) return at
    if (path.dirname(at) === at) return null
  }
}
