/**
 * Returns a line about the paths that a patch does not contain: ignored files, hidden changes, and files that Git can't
 * store.
 */
export function notCarriedLines(paths: readonly string[] | undefined): string[] {
  if (!paths || paths.length === 0) return []
  const named = paths.slice(0, namedMax).join(', ')
  const more = paths.length > namedMax ? ` and ${paths.length - namedMax} more` : ''
  return [`Not applied, because Git ignores or cannot store it: ${named}${more}`]
}

const namedMax = 5
