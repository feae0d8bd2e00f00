/** Collections that keep the newest items. */

/** Sets the key as the last one, and removes the first one if there are more than `max`. Returns whether it removed one. */
export function setBounded<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  max: number,
): boolean {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return false
  const [oldest] = map.keys()
  return map.delete(oldest as Key)
}

/** Appends the item unless the list has it, and removes the first one if there are more than `max`. */
export function appendBounded<Item>(items: Item[], item: Item, max: number): void {
  if (items.includes(item)) return
  items.push(item)
  if (items.length > max) items.shift()
}
