/** Where the readable records of a journal lie, in memory; stored-index.ts keeps it between starts (J8). */
export interface OffsetIndex {
  readonly count: number
  /** All of it, `numbersEach` for each record, in this order: seq, start, end, fingerprint. As long as nothing is added. */
  readonly numbers: Float64Array
  /** What it takes in memory, about. */
  readonly bytes: number
  /** Adds a record; nearly always the one with the highest seq so far. */
  add(place: RecordPlace): void
  has(seq: number): boolean
  /** Ordinal (from 0) of the first record with this seq or a later one; `count` when none. */
  ordinalFrom(seq: number): number
  at(ordinal: number): RecordPlace | undefined
}

/** Offsets are bytes from the file's start; `end` excludes the newline. */
export interface RecordPlace {
  seq: number
  start: number
  end: number
  /** The beginning of its sum: the line at this place is another one if it has another. */
  fingerprint: number
}

export const numbersEach = 4
const recordBytes = numbersEach * Float64Array.BYTES_PER_ELEMENT
/** A session that has just begun has few. */
const roomAtFirst = 64
/** Of a long one much is known when it is opened, and little is added. */
const growth = 1.25

/**
 * Sorted by seq, in one array of numbers: as objects, the records of a long journal would be most of what there is in
 * memory. `known`: what it begins with, as `numbers` gives it; it is the index's own from then on.
 */
export function createOffsetIndex(known?: Float64Array): OffsetIndex {
  let numbers = known ?? new Float64Array(numbersEach * roomAtFirst)
  let count = known ? known.length / numbersEach : 0

  const seqAt = (ordinal: number) => (ordinal < count ? numbers[numbersEach * ordinal] : undefined)

  function ordinalFrom(seq: number): number {
    // Without damage the record with seq n is at n - 1.
    if (seqAt(seq - 1) === seq) return seq - 1
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((seqAt(middle) ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  function makeRoom(): void {
    if (numbersEach * count < numbers.length) return
    const room = Math.max(roomAtFirst, Math.ceil(count * growth))
    const larger = new Float64Array(numbersEach * room)
    larger.set(numbers)
    numbers = larger
  }

  return {
    get count() {
      return count
    },
    get numbers() {
      return numbers.subarray(0, numbersEach * count)
    },
    get bytes() {
      return recordBytes * count
    },
    add({ seq, start, end, fingerprint }) {
      makeRoom()
      const ordinal = seq > (seqAt(count - 1) ?? 0) ? count : ordinalFrom(seq)
      if (seqAt(ordinal) === seq) throw new Error(`record ${seq} is in the index already`)
      const at = numbersEach * ordinal
      numbers.copyWithin(at + numbersEach, at, numbersEach * count)
      numbers[at] = seq
      numbers[at + 1] = start
      numbers[at + 2] = end
      numbers[at + 3] = fingerprint
      count += 1
    },
    has: (seq) => seqAt(ordinalFrom(seq)) === seq,
    ordinalFrom,
    at(ordinal) {
      const seq = seqAt(ordinal)
      if (seq === undefined) return undefined
      const at = numbersEach * ordinal
      return {
        seq,
        start: numbers[at + 1] ?? 0,
        end: numbers[at + 2] ?? 0,
        fingerprint: numbers[at + 3] ?? 0,
      }
    },
  }
}
