/**
 * Returns the first index below `length` for which `holds` is true, or `length` if there is none, by binary search:
 * after an index for which it is true, it must be true for all.
 */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the first index whose item satisfies `holds`, or the length if none does. See `firstIndex`. */
export const firstIndexOf = <Item>(
  items: ArrayLike<Item>,
  holds: (item: Item) => boolean,
): number => firstIndex(items.length, (index) => holds(items[index] as Item))
