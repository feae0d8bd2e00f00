/**
 * A compact hash table from ids to numbers, for files with millions of lines. Stores 53-bit hashes; among ten million
 * ids the probability of a collision is below 1 in 100.
 */
import { createColumn } from '../../../shared/collections/number-column.ts'

/** A 53-bit hash of a text; never 0. */
export function hashOf(value: string): number {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    a = Math.imul(a ^ code, 2_654_435_761)
    b = Math.imul(b ^ code, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return 4_294_967_296 * (b & 0x1fffff) + (a >>> 0) || 1
}

/** Creates a table from hashes of ids to numbers. */
export function createIdTable() {
  /** Indexes into `keys` and `numbers`, from 1; 0: free slot. */
  let slots = new Int32Array(4096)
  const keys = createColumn((length) => new Float64Array(length))
  const numbers = createColumn((length) => new Int32Array(length))

  /** The slot of the key, or the free slot where it would be inserted. */
  function slotOf(key: number): number {
    let slot = key % slots.length
    for (;;) {
      const place = slots[slot] ?? 0
      if (place === 0 || keys.at(place - 1) === key) return slot
      slot = slot + 1 === slots.length ? 0 : slot + 1
    }
  }

  function grow(): void {
    slots = new Int32Array(slots.length * 2)
    for (let index = 0; index < keys.length; index++) slots[slotOf(keys.at(index))] = index + 1
  }

  /** Returns false, without a change, if the key exists. */
  function add(key: number, number: number): boolean {
    if (keys.length * 3 >= slots.length * 2) grow()
    const slot = slotOf(key)
    if (slots[slot] !== 0) return false
    keys.push(key)
    numbers.push(number)
    slots[slot] = keys.length
    return true
  }

  return {
    add,
    /** Returns the number, or -1 if the key is unknown. */
    find(key: number): number {
      const place = slots[slotOf(key)] ?? 0
      return place === 0 ? -1 : numbers.at(place - 1)
    },
    /** Increments and returns the counter of the key. */
    count(key: number): number {
      if (add(key, 1)) return 1
      const index = (slots[slotOf(key)] ?? 0) - 1
      numbers.set(index, numbers.at(index) + 1)
      return numbers.at(index)
    },
  }
}
