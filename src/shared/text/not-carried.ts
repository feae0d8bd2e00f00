/**
 * Returns a line about the paths that a patch does not contain: ignored files, hidden changes, and files that Git can't
 * store.
 */
import { listFirst } from './counted.ts'

export function notCarriedLines(paths: readonly string[] | undefined): string[] {
  if (!paths || paths.length === 0) return []
  return [`Not applied, because Git ignores or cannot store it: ${listFirst(paths, namedMax)}`]
}

const namedMax = 5
