/**
 * Bounds a page to the size of one message: limits the bytes of its entries and replaces long texts
 * by previews with their length.
 */

import { totalBytes } from '../../shared/collections/total-bytes.ts'
import {
  type LongValue,
  pageDamageMax,
  type TranscriptPage,
  transcriptPageBytesMax,
} from '../../shared/contract/workspace.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { UnknownEntry } from '../../shared/records/entry-types/annotations.ts'
import type { PartialMessage } from '../../shared/records/entry-types/messages.ts'

/** A text of a few screens is included; a longer one is read on request. */
const textCharsMax = 16_000
/** The length of a preview: a screenful, as for the previews of journal blobs. */
const previewChars = 2_000
/** Size of one entry after its long texts were cut. */
const entryBytesMax = transcriptPageBytesMax / 4

/**
 * Returns `page` with as many of its entries as fit, from its beginning, or from its end if `keep`
 * requests that. `page.values` are the values that the journal stores outside its records. `whole`
 * returns an entry with all its values, for a page without previews; null if it can't be read.
 */
export async function boundPage(
  page: TranscriptPage,
  {
    keep,
    whole,
  }: { keep: 'first' | 'last'; whole: ((seq: number) => Promise<Entry | null>) | null },
): Promise<TranscriptPage> {
  const inOrder = keep === 'first' ? page.entries : page.entries.toReversed()
  const outside = Map.groupBy(page.values, ({ seq }) => seq)
  const entries: Entry[] = []
  const values: LongValue[] = []
  let left = transcriptPageBytesMax
  for (const entry of inOrder) {
    const known = outside.get(entry.seq) ?? []
    const bounded = (whole && (await uncut(entry, known, left, whole))) ?? cut(entry, known)
    if (bounded.bytes > left && entries.length > 0) break
    left -= bounded.bytes
    entries.push(bounded.entry)
    values.push(...bounded.values)
  }
  const dropped = keep === 'first' ? inOrder[entries.length] : undefined
  return {
    ...page,
    entries: keep === 'first' ? entries : entries.toReversed(),
    values: keep === 'first' ? values : values.toReversed(),
    damage: page.damage.slice(0, pageDamageMax),
    ...(dropped ? { nextSeq: dropped.seq, partial: null } : { partial: cutPartial(page.partial) }),
  }
}

interface Bounded {
  entry: Entry
  values: LongValue[]
  /** Bytes of its JSON. */
  bytes: number
}

/** Returns null if the entry with all its values does not fit into a page. */
async function uncut(
  entry: Entry,
  known: LongValue[],
  bytesMax: number,
  whole: (seq: number) => Promise<Entry | null>,
): Promise<Bounded | null> {
  if (totalBytes(known) > bytesMax) return null
  const read = known.length === 0 ? entry : await whole(entry.seq)
  const bytes = read ? jsonBytes(read) : 0
  return read && bytes <= transcriptPageBytesMax ? { entry: read, values: [], bytes } : null
}

function cut(entry: Entry, known: LongValue[]): Bounded {
  const values = [...known]
  const shortened = cutTexts(entry, [], (at, text) => {
    values.push({ seq: entry.seq, at, bytes: Buffer.byteLength(text) })
  })
  const bytes = jsonBytes(shortened)
  if (bytes <= entryBytesMax) return { entry: shortened, values, bytes }
  const stub = stubOf(entry)
  const wholeBytes = jsonBytes(entry) + totalBytes(known)
  return {
    entry: stub,
    values: [{ seq: entry.seq, at: [], bytes: wholeBytes }],
    bytes: jsonBytes(stub),
  }
}

/** Returns a stub for an entry that is too large although none of its texts is long. */
function stubOf({ v, seq, at, uuid, parentUuid, type }: Entry): UnknownEntry {
  const reason = 'it is too long for a page'
  return { v, seq, at, uuid, parentUuid, type: 'unknown', originalType: type, reason, record: {} }
}

type Path = (string | number)[]

function cutTexts<Value>(value: Value, at: Path, onCut: (at: Path, text: string) => void): Value {
  if (typeof value === 'string') {
    if (value.length <= textCharsMax) return value
    onCut(at, value)
    return value.slice(0, previewChars).toWellFormed() as Value
  }
  if (Array.isArray(value))
    return value.map((item, n) => cutTexts(item, [...at, n], onCut)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cutTexts(item, [...at, key], onCut)]),
  ) as Value
}

/**
 * Replaces long texts without a reference to the rest, because a message in progress has no seq
 * yet.
 */
function cutPartial(partial: PartialMessage | null): PartialMessage | null {
  if (!partial || jsonBytes(partial) <= entryBytesMax) return partial
  return cutTexts(partial, [], () => {})
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
