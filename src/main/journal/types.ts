/** One record as it is read back. `seq` counts from 1, `at` is milliseconds since the epoch. */
export interface JournalRecord {
  v: number
  seq: number
  at: number
  type: string
  [field: string]: unknown
}

/**
 * What a caller appends. The journal stamps `seq`, and `v` and `at` unless they are given.
 * `seq`, `prev` and `sum` are the journal's own and refused in a body.
 */
export type RecordBody = { type: string; [field: string]: unknown }

/** A place in the file that could not be read as it was written. The bytes stay where they are. */
export interface Damage {
  file: string
  /** First line concerned, counted from 1. */
  line: number
  /** Bytes that could not be read; 0 when everything here was read and only the order or the chain is wrong. */
  bytes: number
  reason: string
  /** How many lines in a row, from `line` on. */
  lines: number
  /** The damage lies after the record of this seq (0: before the first). */
  afterSeq: number
  /** Records that are gone because of it, when the seqs around it tell. */
  missing: { fromSeq: number; toSeq: number } | null
}

/** Something that opening put right: no damage, nothing that was acknowledged is gone. */
export interface Healing {
  file: string
  kind: 'torn-tail'
  bytes: number
  /** Path of the sibling file that holds the original bytes. */
  keptAs: string | null
  detail: string
}

/** Where a value of more than 256 KB is, and where in the record it belongs. */
export interface BlobReference {
  at: (string | number)[]
  /** Also the name of its file in `blobs/` beside the journal. */
  sha256: string
  bytes: number
  /** 'json' for text that UTF-8 can't hold as it is (lone surrogates). */
  encoding: 'utf8' | 'json'
}

/** Which records: from a seq on, or the last ones. `limit` and `last` are counts of records. */
export type PageQuery = ({ fromSeq?: number; limit: number } | { last: number }) & {
  /** Read as if the journal ended with this record: neither what follows it nor damage to that. */
  throughSeq?: number
  /**
   * Leave values of more than 256 KB as the preview that the record holds, named in its `blobs`
   * (BlobReference[]). Otherwise they are put back, and there is no `blobs`, unless the value's file
   * is lost: then its preview stays, `blobs` names it, and it is damage.
   */
  previews?: boolean
  /** Of the records' lines; one always fits. The last ones are kept of `last`, the first ones otherwise. */
  bytesMax?: number
}

export interface Page {
  /** In file order. May be fewer than asked for where records are large: go on at `nextSeq`. */
  records: JournalRecord[]
  /** Readable records in the whole journal. */
  total: number
  /** Seq of the first record after this page; null at the end, or at `throughSeq`. */
  nextSeq: number | null
  /** All damage known in the whole journal, or up to `throughSeq`, in file order. */
  damage: Damage[]
}

export interface Journal {
  readonly path: string
  /** Seq of the last durable record; 0 when there is none. */
  readonly lastSeq: number
  /** Of the file, as far as its lines are durable. */
  readonly bytes: number
  /** What opening put right. */
  readonly healed: Healing[]
  readonly damage: Damage[]
  /**
   * Resolves with the record as it will be read back, once it is durable (J6). Rejects with
   * JournalWriteError (nothing of it is kept), JournalQueueFullError, JournalClosedError or
   * InvalidRecordError.
   */
  append(body: RecordBody): Promise<JournalRecord>
  /** As `append`; the records get contiguous seqs and share one sync. All are durable or none is acknowledged. */
  appendAll(bodies: readonly RecordBody[]): Promise<JournalRecord[]>
  /** Reads durable records without reading the rest of the file (J8). */
  page(query: PageQuery): Promise<Page>
  /** All durable records at the time of the call, in order, a chunk at a time. */
  records(query?: { fromSeq?: number }): AsyncIterable<JournalRecord>
  /** The checksum of the record with this seq, which covers all before it by the chain; null: not readable. */
  sumAt(seq: number): Promise<string | null>
  /** Resolves when everything queued so far is settled, well or badly. */
  flush(): Promise<void>
  /** Waits for what is queued, then lets go of the file. May be called twice. */
  close(): Promise<void>
}

export interface JournalOptions {
  /** Milliseconds since the epoch. */
  clock?: () => number
  /** The offset index could not be stored: the next reader scans. */
  onIndexFailed?: (error: unknown) => void
  /** 22 characters of base64url for each record; random unless given. */
  newSalt?: () => string
  fileMode?: number
  /** Bytes that may wait to be written before `append` refuses more. */
  queueBytesMax?: number
  /** A journal that is shorter gets no stored index. */
  indexedFromBytes?: number
  /** Whether another process has the lease now: then nothing more is written. */
  isDisplaced?: () => boolean
}
