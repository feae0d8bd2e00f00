import type { Entry } from '../../shared/records/entries.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import { wholeOutputOf } from '../../shared/records/whole-output.ts'
import { blobDirectory, readBlob, readJournal } from '../journal/index.ts'
import { documentsOf, type SearchDocument } from './documents.ts'

/** Yields the entries of the transcript in `file` from `fromSeq` on, with whole outputs. Throws JournalReadError. */
export async function* readEntries(
  file: string,
  fromSeq = 1,
): AsyncGenerator<{ entry: Entry; wholeOutput: string | null }> {
  for await (const record of readJournal(file, { fromSeq })) {
    const entry = parseEntry(record)
    const whole = wholeOutputOf(entry)
    const content = whole && (await readBlob(blobDirectory(file), whole.sha256))
    yield { entry, wholeOutput: content?.toString() ?? null }
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
