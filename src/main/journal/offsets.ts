/**
 * The offsets of a journal's readable records, in memory; stored-index.ts persists them between
 * starts (J8).
 */
import { firstIndex } from '../../shared/collections/first-index.ts'
import { createColumn, type NumberColumn } from '../../shared/collections/number-column.ts'

export interface OffsetIndex {
  readonly count: number
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
  /** The first 48 bits of its sum: a line with a different one has been replaced. */
  fingerprint: number
}

/** The places of records with the seqs 1, 2, 3 …; the index takes ownership of the arrays. */
interface KnownPlaces {
  starts: Float64Array
  /** In bytes, without the newline. */
  lengths: Uint32Array
  /** The fingerprints: their low 32 bits, and the others. */
  lowBits: Uint32Array
  highBits: Uint16Array
}

/** Size of the four columns. */
const recordBytes = 18

/** Creates an index sorted by seq. */
export function createOffsetIndex(known?: KnownPlaces): OffsetIndex {
  const starts = createColumn((length) => new Float64Array(length), known?.starts)
  const lengths = createColumn((length) => new Uint32Array(length), known?.lengths)
  const lowBits = createColumn((length) => new Uint32Array(length), known?.lowBits)
  const highBits = createColumn((length) => new Uint16Array(length), known?.highBits)
  /** Null while the record with seq n is at n - 1, as in an undamaged journal. */
  let seqs: NumberColumn | null = null

  const seqAt = (ordinal: number): number => (seqs === null ? ordinal + 1 : seqs.at(ordinal))

  function ordinalFrom(seq: number): number {
    const count = starts.length
    if (seqs === null) return Math.min(Math.max(seq - 1, 0), count)
    return firstIndex(count, (ordinal) => seqAt(ordinal) >= seq)
  }

  function explicitSeqs(): NumberColumn {
    const column = createColumn((length) => new Float64Array(length))
    for (let seq = 1; seq <= starts.length; seq++) column.push(seq)
    return column
  }

  return {
    get count() {
      return starts.length
    },
    get bytes() {
      return (recordBytes + (seqs === null ? 0 : Float64Array.BYTES_PER_ELEMENT)) * starts.length
    },
    add({ seq, start, end, fingerprint }) {
      const count = starts.length
      if (seq !== count + 1) seqs ??= explicitSeqs()
      const ordinal = count === 0 || seq > seqAt(count - 1) ? count : ordinalFrom(seq)
      if (ordinal < count && seqAt(ordinal) === seq)
        throw new Error(`record ${seq} is in the index already`)
      insert(starts, ordinal, start)
      insert(lengths, ordinal, end - start)
      insert(lowBits, ordinal, fingerprint % 2 ** 32)
      insert(highBits, ordinal, Math.floor(fingerprint / 2 ** 32))
      if (seqs) insert(seqs, ordinal, seq)
    },
    has(seq) {
      const ordinal = ordinalFrom(seq)
      return ordinal < starts.length && seqAt(ordinal) === seq
    },
    ordinalFrom,
    at(ordinal) {
      if (ordinal < 0 || ordinal >= starts.length) return undefined
      const start = starts.at(ordinal)
      return {
        seq: seqAt(ordinal),
        start,
        end: start + lengths.at(ordinal),
        fingerprint: lowBits.at(ordinal) + highBits.at(ordinal) * 2 ** 32,
      }
    },
  }
}

function insert(column: NumberColumn, index: number, value: number): void {
  column.push(value)
  if (index === column.length - 1) return
  for (let at = column.length - 1; at > index; at--) column.set(at, column.at(at - 1))
  column.set(index, value)
}
