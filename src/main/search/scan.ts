/** Searches transcripts by reading them. Used for regular expressions, and when no index is available. */
import type { SearchKind } from '../../shared/contract/search.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { JournalReadError } from '../journal/index.ts'
import type { SearchDocument } from './documents.ts'
import { createDocumentTest } from './query/document-test.ts'
import type { Query } from './query/query.ts'
import type { Ranked } from './query/ranking.ts'
import { readDocuments } from './read-documents.ts'

export interface ScanRequest {
  query: Query
  /** In the order in which to read them. */
  transcripts: { taskId: TaskId; title: string; createdAt: number; file: string | null }[]
  limit: number
}

/** Stops after `limit` + 1 hits. Within a transcript the newest hits, which are last in the file, come first. */
export async function scan({ query, transcripts, limit }: ScanRequest): Promise<Ranked[]> {
  const test = createDocumentTest(query)
  const hits: Ranked[] = []
  for (const { taskId, title, createdAt, file } of transcripts) {
    const found: Ranked[] = []
    const note = (document: SearchDocument, seq: number | null, at: number) => {
      if (!test(document, at)) return
      const { kind, part, tool } = document
      // A hit in another part of the same text was already added.
      if (found.at(-1)?.seq === seq && found.at(-1)?.kind === kind) return
      found.push({ taskId, kind, part, tool, seq, at, fit: 'word' })
      if (found.length > limit) found.shift()
    }
    note({ ...titleOnly, text: title }, null, createdAt)
    if (file !== null) await visitDocuments(file, note)
    hits.push(...found.reverse())
    if (hits.length > limit) break
  }
  return hits.slice(0, limit + 1)
}

const titleOnly = {
  kind: 'title' as SearchKind,
  part: 0,
  paths: '',
  tool: null,
  model: null,
  isError: false,
}

async function visitDocuments(
  file: string,
  visit: (document: SearchDocument, seq: number, at: number) => void,
): Promise<void> {
  try {
    for await (const { entry, documents } of readDocuments(file))
      for (const document of documents) visit(document, entry.seq, entry.at)
  } catch (error) {
    // Moved or deleted since the request was made.
    if (!(error instanceof JournalReadError)) throw error
  }
}
