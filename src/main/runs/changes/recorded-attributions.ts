/** The authors of a file's text as earlier runs last recorded them: read one file at a time. */
import type { Entry } from '../../../shared/records/entries.ts'
import type { PastSession } from '../past.ts'

type Attribution = Extract<Entry, { type: 'attribution-snapshot' }>['files'][string]

export interface RecordedAttributions {
  /** Reports whether anything is recorded of it. */
  has(path: string): boolean
  /** `sha256`: of the attributed content; null: there was no file. Null when nothing is recorded or readable. */
  of(path: string): Promise<(Attribution & { sha256: string | null }) | null>
}

export function recordedAttributions(past: readonly PastSession[]): RecordedAttributions {
  const newestFirst = past.toReversed()

  function lastOf(path: string) {
    for (const session of newestFirst) {
      const { attributedSeq = 0, writtenSeq = 0 } = session.state.files.get(path) ?? {}
      // Entries after the continued part are not known here.
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
      // Older records have it only in the entry of the change.
      const written = writtenSeq > 0 ? await session.entry(writtenSeq) : null
      const sha256 = written?.type === 'file-history-snapshot' ? written.after : null
      return { ...said, sha256 }
    },
  }
}
