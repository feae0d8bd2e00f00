import { readStartNow } from '../journal/index.ts'

/** The first bytes of a JSONL export. A JSON export may have white space between the tokens. */
export const exportOpening = '{"shiplog":"export"'

/** A reformatted document begins with little white space. */
const startBytes = 1024

/**
 * Whether the file begins like an export, including a JSON document that was reformatted. Synchronous and without the
 * schemas, because the search for other tools' sessions calls it for each file. Throws as `readStartNow` does.
 */
export function isExport(file: string): boolean {
  const start = readStartNow(file, startBytes).toString('latin1')
  return start.replace(/\s+/g, '').startsWith(exportOpening)
}
