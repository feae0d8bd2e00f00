import type { Entry } from '../../shared/records/entries.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import { blobDirectory, readBlob, readJournal } from '../journal/index.ts'
import { documentsOf, type SearchDocument, wholeOutputOf } from './documents.ts'

/** Yields the entries of the transcript in `file` from `fromSeq` on, with whole outputs. Throws JournalReadError. */
export async function* readEntries(
  file: string,
  fromSeq = 1,
): AsyncGenerator<{ entry: Entry; wholeOutput: string | null }> {
  for await (const record of readJournal(file, { fromSeq })) {
    const entry = parseEntry(record)
    const sha256 = wholeOutputOf(entry)
    const whole = sha256 === null ? null : await readBlob(blobDirectory(file), sha256)
    yield { entry, wholeOutput: whole?.toString() ?? null }
  }
}

/**
 * Yields the entries of the transcript in `file` from `fromSeq` on, with their documents. Whole outputs are read from
 * the transcript's `blobs/`. Throws JournalReadError.
 */
export async function* readDocuments(
  file: string,
  fromSeq = 1,
): AsyncGenerator<{ entry: Entry; documents: SearchDocument[] }> {
  for await (const { entry, wholeOutput } of readEntries(file, fromSeq))
    yield { entry, documents: documentsOf(entry, wholeOutput) }
}
