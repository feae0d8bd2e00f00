/**
 * Returns labels of folders by path: the folder's name, and for equal names as many parent folders as distinguish them,
 * such as `lights (work)` and `lights (old)`. Pure.
 */
export function folderLabels(dirs: Iterable<string>): Map<string, string> {
  const labels = new Map<string, string>()
  for (const [name, alike] of Map.groupBy(new Set(dirs), nameOf)) {
    const depth = alike.length > 1 ? distinguishingDepth(alike) : 0
    for (const dir of alike) {
      const above = partsAbove(dir).slice(-depth).join('/')
      labels.set(dir, depth > 0 && above !== '' ? `${name} (${above})` : name)
    }
  }
  return labels
}

const partsOf = (dir: string): string[] => dir.split(/[\\/]/).filter((part) => part !== '')
const nameOf = (dir: string): string => partsOf(dir).at(-1) ?? dir
const partsAbove = (dir: string): string[] => partsOf(dir).slice(0, -1)

/** Returns the number of parent folders that make the labels distinct. */
function distinguishingDepth(dirs: readonly string[]): number {
  const all = dirs.map(partsAbove)
  const depthMax = Math.max(...all.map((parts) => parts.length))
  for (let depth = 1; depth < depthMax; depth++) {
    const labels = new Set(all.map((parts) => parts.slice(-depth).join('/')))
    if (labels.size === dirs.length) return depth
  }
  return depthMax
}
