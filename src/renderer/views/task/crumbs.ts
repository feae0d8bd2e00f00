/** Which ancestors a breadcrumb shows. Pure. */

/** Fewer fit beside the title at 800 px. */
const ancestorsShownMax = 2

interface Crumbs<Item> {
  /** All ancestors, or only the root if some are hidden. */
  first: Item[]
  /** Those in the middle that the breadcrumb lists in a menu. */
  hidden: Item[]
  /** The parent if some are hidden, else empty. */
  last: Item[]
}

/** `ancestors`: the root first, without the task itself. */
export function crumbsOf<Item>(ancestors: Item[]): Crumbs<Item> {
  if (ancestors.length <= ancestorsShownMax) return { first: ancestors, hidden: [], last: [] }
  return { first: ancestors.slice(0, 1), hidden: ancestors.slice(1, -1), last: ancestors.slice(-1) }
}
