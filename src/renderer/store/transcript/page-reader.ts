import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { withWholeValues } from '../../../shared/contract/transcripts/whole-values.ts'
import type { TranscriptPage } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'

/** A few screens, fetched before the reader reaches the end of the loaded entries. */
export const pageEntries = 200
/** Read before and after the target of a jump: about a screen. With twice as many a jump takes a third longer. */
const entriesBefore = 10
const entriesAfter = 30
/** The limit for one text, which can't be read in pages. A longer text ends with a line that says so. */
const valueBytesMax = 4 << 20

type PagePlace = 'start' | 'end' | { seq: number } | { before: number }

interface PageReader {
  read(at: PagePlace, signal: AbortSignal): Promise<TranscriptPage>
  /** Reads entries on both sides of `seq` as one page; the last ones if that entry does not exist yet. */
  readAround(seq: number, signal: AbortSignal): Promise<TranscriptPage>
}

/** Reads pages of a transcript with long texts in full. */
export function createPageReader(
  client: Pick<ShiplogClient, 'transcripts'>,
  taskId: TaskId,
): PageReader {
  async function read(
    at: PagePlace,
    signal: AbortSignal,
    limit = pageEntries,
  ): Promise<TranscriptPage> {
    const query = { taskId, at, limit, previews: false }
    const page = await client.transcripts.page(query, { signal })
    return withWholeValues(client, page, { bytesMax: valueBytesMax, signal })
  }

  return {
    read: (at, signal) => read(at, signal),
    async readAround(seq, signal) {
      const [before, after] = await Promise.all([
        seq > 1 ? read({ before: seq }, signal, entriesBefore) : null,
        read({ seq }, signal, entriesAfter),
      ])
      if (after.entries.length === 0) return read('end', signal)
      return { ...after, entries: [...(before?.entries ?? []), ...after.entries] }
    },
  }
}
