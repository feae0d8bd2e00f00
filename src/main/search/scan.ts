/** Searches transcripts by reading them: for regular expressions, and where there is no index. */
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
  /** In the order in which they are read. */
  transcripts: { taskId: TaskId; title: string; createdAt: number; file: string | null }[]
  limit: number
}

/** Ends once `limit` + 1 hits were found. The newest of a transcript come last in its file, and first here. */
export async function scan({ query, transcripts, limit }: ScanRequest): Promise<Ranked[]> {
  const test = createDocumentTest(query)
  const hits: Ranked[] = []
  for (const { taskId, title, createdAt, file } of transcripts) {
    const found: Ranked[] = []
    const note = (document: SearchDocument, seq: number | null, at: number) => {
      if (!test(document, at)) return
      const { kind, part, tool } = document
      // Another part of the same text.
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
  ...{ kind: 'title' as SearchKind, part: 0, paths: '' },
  ...{ tool: null, model: null, isError: false },
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
