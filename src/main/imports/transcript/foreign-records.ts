/** Collects records that are preserved verbatim into one entry. */

/** Limits of one entry, for readability. */
const recordsMax = 50
const charsMax = 200_000

export function createForeignRecords() {
  let records: { line: number; record: unknown }[] = []
  let chars = 0
  let isQuiet = true

  return {
    /** Whether the records are quiet: they duplicate surrounding entries, so they may be placed later. */
    get areQuiet() {
      return isQuiet
    },
    /** Whether a record of `more` characters fits. */
    hasRoom: (more: number): boolean => records.length < recordsMax && chars + more <= charsMax,
    add(
      line: number,
      record: unknown,
      { chars: added, isQuiet: quiet }: { chars: number; isQuiet: boolean },
    ): void {
      records.push({ line, record })
      chars += added
      isQuiet &&= quiet
    },
    /** Removes the records and returns them as an entry's content; null: none. */
    take(): object | null {
      const [only] = records
      const content = records.length > 1 ? { records } : (only ?? null)
      records = []
      chars = 0
      isQuiet = true
      return content
    },
  }
}
