/** Records that are kept verbatim, gathered until they are shown as one entry. */

/** More in one entry are hard to look through. */
const recordsMax = 50
const charsMax = 200_000

export function createForeignRecords() {
  let records: { line: number; record: unknown }[] = []
  let chars = 0
  let isQuiet = true

  return {
    /** Quiet records repeat what the entries around them say: these may be shown later than where they were. */
    get areQuiet() {
      return isQuiet
    },
    /** Whether there is room for one more of so many characters. */
    hasRoom: (more: number): boolean => records.length < recordsMax && chars + more <= charsMax,
    add(line: number, record: unknown, of: { chars: number; isQuiet: boolean }): void {
      records.push({ line, record })
      chars += of.chars
      isQuiet &&= of.isQuiet
    },
    /** The content of the entry that they become; null: there are none. */
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
