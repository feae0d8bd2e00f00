import type { Entry } from '../../records/entries.ts'
import { parseEntry } from '../../records/parse-entry.ts'
import type { ShiplogClient } from '../index.ts'
import type { LongValue, TranscriptPage } from '../workspace.ts'

type Client = { transcripts: Pick<ShiplogClient['transcripts'], 'value'> }

/**
 * Returns `page` with its previews replaced by the whole texts if these have at most `bytesMax` bytes. Appends a line with
 * the number of missing bytes to the preview of a longer text. Reads one part at a time. Rejects as the client does.
 */
export async function withWholeValues<
  Page extends Pick<TranscriptPage, 'taskId' | 'entries' | 'values'>,
>(
  client: Client,
  page: Page,
  { bytesMax, signal }: { bytesMax: number; signal?: AbortSignal },
): Promise<Page> {
  if (page.values.length === 0) return page
  const entries = new Map(page.entries.map((entry) => [entry.seq, entry]))
  for (const value of page.values) {
    const entry = entries.get(value.seq)
    if (!entry) continue
    const text =
      value.bytes <= bytesMax ? await readValue(client, page.taskId, value, signal) : null
    entries.set(value.seq, replaced(entry, value, text))
  }
  const values = page.values.filter(({ bytes }) => bytes > bytesMax)
  return { ...page, entries: [...entries.values()], values }
}

async function readValue(
  client: Client,
  taskId: string,
  { seq, at }: LongValue,
  signal: AbortSignal | undefined,
): Promise<string> {
  const parts: string[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const query: Parameters<Client['transcripts']['value']>[0] = { taskId, seq, at, offset }
    const part = await client.transcripts.value(query, { signal })
    parts.push(part.text)
    offset = part.nextOffset
  }
  return parts.join('')
}

/** If `text` is null, the preview is kept. */
function replaced(entry: Entry, { at, bytes }: LongValue, text: string | null): Entry {
  if (at.length === 0) return text === null ? entry : parseEntry(JSON.parse(text))
  return replacedAt(entry, at, (preview) =>
    text !== null
      ? text
      : `${String(preview)}\n[… ${(bytes - new TextEncoder().encode(String(preview)).length).toLocaleString('en')} more bytes]`,
  ) as Entry
}

function replacedAt(
  value: unknown,
  [first, ...rest]: (string | number)[],
  change: (found: unknown) => unknown,
): unknown {
  if (first === undefined) return change(value)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<
    string | number,
    unknown
  >
  copy[first] = replacedAt(copy[first], rest, change)
  return copy
}
