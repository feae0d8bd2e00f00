/** One record as it is read. `seq` counts from 1, `at` is milliseconds since the epoch. */
export interface JournalRecord {
  v: number
  seq: number
  at: number
  type: string
  [field: string]: unknown
}

/**
 * The body that a caller appends. The journal adds `seq`, and `v` and `at` unless they are given.
 * `seq`, `prev` and `sum` are reserved and refused in a body.
 */
export type RecordBody = { type: string; [field: string]: unknown }

/** A damaged place in the file. Its bytes are left unchanged. */
export interface Damage {
  file: string
  /** First line affected, counted from 1. */
  line: number
  /**
   * Bytes that could not be read; 0 if everything was read and only the order or the chain is
   * wrong.
   */
  bytes: number
  reason: string
  /** Consecutive lines affected, counted from `line`. */
  lines: number
  /** The damage lies after the record of this seq (0: before the first). */
  afterSeq: number
  /** The records lost to it, if the seqs around it determine them. */
  missing: { fromSeq: number; toSeq: number } | null
}

/** A repair made when the journal was opened. Not damage, because no acknowledged record was lost. */
export interface Healing {
  file: string
  kind: 'torn-tail'
  bytes: number
  /** Path of the sibling file that holds the original bytes. */
  keptAs: string | null
  detail: string
}

/** Where a value of more than 256 KB is stored, and where in the record it belongs. */
export interface BlobReference {
  at: (string | number)[]
  /** Also the name of its file in `blobs/` beside the journal. */
  sha256: string
  bytes: number
  /** 'json' for text that UTF-8 can't encode (lone surrogates). */
  encoding: 'utf8' | 'json'
}

/** Selects records: from a seq on, or the last ones. `limit` and `last` are counts of records. */
export type PageQuery = ({ fromSeq?: number; limit: number } | { last: number }) & {
  /**
   * Reads as if the journal ended with this record: later records and their damage are left out.
   */
  throughSeq?: number
  /**
   * Leaves values of more than 256 KB as the preview that the record holds, listed in its `blobs`
   * (BlobReference[]). Otherwise they are restored and there is no `blobs`, unless a value's file
   * is lost: then its preview stays, `blobs` lists it, and it is reported as damage.
   */
  previews?: boolean
  /**
   * Limits the bytes of the records' lines; one record always fits. With `last` the newest are
   * kept, otherwise the oldest.
   */
  bytesMax?: number
}

export interface Page {
  /** In file order. May be fewer than requested if records are large: continue at `nextSeq`. */
  records: JournalRecord[]
  /** Readable records in the whole journal. */
  total: number
  /** Seq of the first record after this page; null at the end, or at `throughSeq`. */
  nextSeq: number | null
  /** All known damage of the whole journal, or up to `throughSeq`, in file order. */
  damage: Damage[]
}

export interface Journal {
  readonly path: string
  /** Seq of the last durable record; 0 if there is none. */
  readonly lastSeq: number
  /** Bytes of the durable lines. */
  readonly bytes: number
  /** The repairs made when the journal was opened. */
  readonly healed: Healing[]
  readonly damage: Damage[]
  /**
   * Resolves with the record as it will be read, once it is durable (J6). Rejects with
   * JournalWriteError (nothing was kept), JournalQueueFullError, JournalClosedError or
   * InvalidRecordError.
   */
  append(body: RecordBody): Promise<JournalRecord>
  /**
   * Like `append`; the records get contiguous seqs and share one sync. Either all are durable or
   * none is acknowledged.
   */
  appendAll(bodies: readonly RecordBody[]): Promise<JournalRecord[]>
  /** Like `appendAll`, without the cost of returning the records. */
  write(bodies: readonly RecordBody[]): Promise<void>
  /** Reads durable records without reading the rest of the file (J8). */
  page(query: PageQuery): Promise<Page>
  /** Yields all records that are durable at the time of the call, in order, a chunk at a time. */
  records(query?: { fromSeq?: number }): AsyncIterable<JournalRecord>
  /**
   * Returns the checksum of the record with this seq, which covers all records before it by the
   * chain, or null if it can't be read.
   */
  sumAt(seq: number): Promise<string | null>
  /** Resolves when everything queued so far has succeeded or failed. */
  flush(): Promise<void>
  /** Waits for the queue, then closes the file. May be called twice. */
  close(): Promise<void>
}

export interface JournalOptions {
  /** Milliseconds since the epoch. */
  clock?: () => number
  /** Called when the offset index could not be stored; the next reader then scans. */
  onIndexFailed?: (error: unknown) => void
  /** Returns 22 characters of base64url for each record. Default: random. */
  newSalt?: () => string
  fileMode?: number
  /** Bytes that may wait to be written before `append` rejects. */
  queueBytesMax?: number
  /** Shorter journals get no stored index. */
  indexedFromBytes?: number
  /** Reports whether another process holds the lease now; then nothing more is written. */
  isDisplaced?: () => boolean
}
