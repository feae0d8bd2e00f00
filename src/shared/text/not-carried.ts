/**
 * What an apply leaves behind, in one line: a patch holds neither ignored files nor hidden changes, nor what Git cannot
 * store.
 */
export function notCarriedLines(paths: readonly string[] | undefined): string[] {
  if (!paths || paths.length === 0) return []
  const named = paths.slice(0, namedMax).join(', ')
  const more = paths.length > namedMax ? ` and ${paths.length - namedMax} more` : ''
  return [`Not applied, because Git ignores or cannot store it: ${named}${more}`]
}

const namedMax = 5
