/** Reads the last attribution that earlier runs recorded of a file, one file at a time. */
import type { Entry } from '../../../shared/records/entries.ts'
import type { PastSession } from '../past.ts'

type Attribution = Extract<Entry, { type: 'attribution-snapshot' }>['files'][string]

export interface RecordedAttributions {
  /** Reports whether anything is recorded of it. */
  has(path: string): boolean
  /**
   * Returns the attribution of the file; null if none is recorded, or it can't be read. `sha256` is the hash of the
   * attributed content in hex, null if the file did not exist.
   */
  of(path: string): Promise<(Attribution & { sha256: string | null }) | null>
}

export function recordedAttributions(past: readonly PastSession[]): RecordedAttributions {
  const newestFirst = past.toReversed()

  function lastOf(path: string) {
    for (const session of newestFirst) {
      const { attributedSeq = 0, writtenSeq = 0 } = session.state.files.get(path) ?? {}
      // Entries after the continued part do not count.
      if (attributedSeq > 0 && attributedSeq <= session.throughSeq)
        return { session, attributedSeq, writtenSeq }
    }
    return null
  }

  return {
    has: (path) => lastOf(path) !== null,
    async of(path) {
      const last = lastOf(path)
      if (!last) return null
      const { session, attributedSeq, writtenSeq } = last
      const entry = await session.entry(attributedSeq)
      if (entry?.type !== 'attribution-snapshot' || !Object.hasOwn(entry.files, path)) return null
      const said = entry.files[path] as Attribution
      if (said.sha256 !== undefined) return { ...said, sha256: said.sha256 }
      // Older records contain the hash only in the entry of the change.
      const written = writtenSeq > 0 ? await session.entry(writtenSeq) : null
      const sha256 = written?.type === 'file-history-snapshot' ? written.after : null
      return { ...said, sha256 }
    },
  }
}
