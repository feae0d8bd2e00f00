/** Which ancestors a breadcrumb names. Pure. */

/** Fewer fit beside the title at 800 px. */
const ancestorsShownMax = 2

interface Crumbs<Item> {
  /** The root, then, after what is left out, the parent. */
  first: Item[]
  /** Left out in the middle; the breadcrumb lists them in a menu. */
  hidden: Item[]
  last: Item[]
}

/** `ancestors`: the root first, without the task itself. */
export function crumbsOf<Item>(ancestors: Item[]): Crumbs<Item> {
  if (ancestors.length <= ancestorsShownMax) return { first: ancestors, hidden: [], last: [] }
  return { first: ancestors.slice(0, 1), hidden: ancestors.slice(1, -1), last: ancestors.slice(-1) }
}
