/**
 * Finds lines by their ids in little memory: a file of gigabytes has millions of them. Ids are kept as hashes of 53 bits;
 * among ten million the chance that two collide is below 1 in 100.
 */

/** 53 bits of a text; never 0. */
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

/** A growing array of numbers. */
export function createColumn<Column extends Float64Array | Int32Array | Uint8Array>(
  make: (length: number) => Column,
) {
  let values = make(1024)
  let length = 0
  return {
    push(value: number): void {
      if (length === values.length) {
        const grown = make(length * 2)
        grown.set(values)
        values = grown
      }
      values[length++] = value
    },
    at: (index: number): number => values[index] ?? 0,
    set(index: number, value: number): void {
      values[index] = value
    },
    get length() {
      return length
    },
  }
}

/** The first line of each id. */
export function createIdTable() {
  let capacity = 4096
  let keys = new Float64Array(capacity)
  let lines = new Int32Array(capacity)
  let size = 0
  const slotOf = (key: number): number => {
    let slot = key % capacity
    while (keys[slot] !== 0 && keys[slot] !== key) slot = slot + 1 === capacity ? 0 : slot + 1
    return slot
  }
  return {
    /** False: the id is known already. */
    add(key: number, line: number): boolean {
      if (size * 2 >= capacity) {
        const [oldKeys, oldLines] = [keys, lines]
        capacity *= 2
        keys = new Float64Array(capacity)
        lines = new Int32Array(capacity)
        for (let at = 0; at < oldKeys.length; at++) {
          const old = oldKeys[at] ?? 0
          if (old === 0) continue
          const slot = slotOf(old)
          keys[slot] = old
          lines[slot] = oldLines[at] ?? 0
        }
      }
      const slot = slotOf(key)
      if (keys[slot] === key) return false
      keys[slot] = key
      lines[slot] = line
      size++
      return true
    },
    /** -1: there is none. */
    find(key: number): number {
      const slot = slotOf(key)
      return keys[slot] === key ? (lines[slot] ?? -1) : -1
    },
  }
}
