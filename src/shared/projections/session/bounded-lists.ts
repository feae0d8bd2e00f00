/** Collections that keep the newest. */

/** Appends the key, and removes the first one if there are too many. Returns whether it did. */
export function put<Key, Value>(
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

/** Appends the item if it is not there, and removes the first one if there are too many. */
export function list<Item>(items: Item[], item: Item, max: number): void {
  if (items.includes(item)) return
  items.push(item)
  if (items.length > max) items.shift()
}
