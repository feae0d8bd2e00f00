/** Where the readable records of a journal lie, in memory; stored-index.ts keeps it between starts (J8). */
export interface OffsetIndex {
  readonly count: number
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

const recordBytes = 32

/** Sorted by seq, in parallel arrays of numbers. */
export function createOffsetIndex(): OffsetIndex {
  const seqs: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const fingerprints: number[] = []

  function ordinalFrom(seq: number): number {
    // Without damage the record with seq n is at n - 1.
    if (seqs[seq - 1] === seq) return seq - 1
    let low = 0
    let high = seqs.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((seqs[middle] ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    get count() {
      return seqs.length
    },
    get bytes() {
      return recordBytes * seqs.length
    },
    add({ seq, start, end, fingerprint }) {
      if (seq > (seqs.at(-1) ?? 0)) {
        seqs.push(seq)
        starts.push(start)
        ends.push(end)
        fingerprints.push(fingerprint)
        return
      }
      const at = ordinalFrom(seq)
      if (seqs[at] === seq) throw new Error(`record ${seq} is in the index already`)
      seqs.splice(at, 0, seq)
      starts.splice(at, 0, start)
      ends.splice(at, 0, end)
      fingerprints.splice(at, 0, fingerprint)
    },
    has: (seq) => seqs[ordinalFrom(seq)] === seq,
    ordinalFrom,
    at(ordinal) {
      const seq = seqs[ordinal]
      const start = starts[ordinal]
      const end = ends[ordinal]
      const fingerprint = fingerprints[ordinal]
      if (
        seq === undefined ||
        start === undefined ||
        end === undefined ||
        fingerprint === undefined
      )
        return undefined
      return { seq, start, end, fingerprint }
    },
  }
}
