/**
 * The offsets of a journal's readable records, in memory; stored-index.ts persists them between
 * starts (J8).
 */
import { firstIndex } from '../../shared/first-index.ts'
export interface OffsetIndex {
  readonly count: number
  /**
   * The whole index, `numbersEach` for each record: seq, start, end, fingerprint. Valid until the
   * next `add`.
   */
  readonly numbers: Float64Array
  /** Approximate memory use. */
  readonly bytes: number
  /** Adds a record; almost always the one with the highest seq so far. */
  add(place: RecordPlace): void
  has(seq: number): boolean
  /**
   * Ordinal (from 0) of the first record with this seq or a later one; `count` if there is none.
   */
  ordinalFrom(seq: number): number
  at(ordinal: number): RecordPlace | undefined
}

/** Offsets are bytes from the start of the file; `end` excludes the newline. */
export interface RecordPlace {
  seq: number
  start: number
  end: number
  /** The first bits of its sum: a line with a different one has been replaced. */
  fingerprint: number
}

export const numbersEach = 4
const recordBytes = numbersEach * Float64Array.BYTES_PER_ELEMENT
/** New sessions have few records. */
const roomAtFirst = 64
/** Small, because a long journal is mostly known when it is opened and grows little after. */
const growth = 1.25

/**
 * Creates an index sorted by seq, in one array of numbers, because objects would make the records
 * of a long journal most of the memory in use. `known` is the initial content in the order of
 * `numbers`; the index takes ownership of it.
 */
export function createOffsetIndex(known?: Float64Array): OffsetIndex {
  let numbers = known ?? new Float64Array(numbersEach * roomAtFirst)
  let count = known ? known.length / numbersEach : 0

  const seqAt = (ordinal: number) => (ordinal < count ? numbers[numbersEach * ordinal] : undefined)

  function ordinalFrom(seq: number): number {
    // In an undamaged journal the record with seq n is at n - 1.
    if (seqAt(seq - 1) === seq) return seq - 1
    return firstIndex(count, (ordinal) => (seqAt(ordinal) ?? 0) >= seq)
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
