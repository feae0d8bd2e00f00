/**
 * Reads a transcript. If this process is writing it, reads through the open journal, which returns only durable entries
 * (J6); otherwise from the file, in a session directory or an archived copy of one.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LongValue, TranscriptPage } from '../../shared/contract/workspace.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { PartialMessage } from '../../shared/records/entry-types/messages.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import {
  blobReferences,
  type Damage,
  JournalClosedError,
  JournalReadError,
  type JournalRecord,
  type Page,
  type PageQuery,
  readJournalPage,
} from '../journal/index.ts'
import { readPartial } from '../sessions/partial-file.ts'
import type { Session } from '../sessions/session.ts'
import { chatFile, partialFile } from '../sessions/session-files.ts'

type TranscriptPart = Pick<
  TranscriptPage,
  'entries' | 'values' | 'total' | 'nextSeq' | 'damage' | 'partial' | 'status'
>

/**
 * Reads a page of the transcript in `dir`; `open` is its session if it is open. A missing
 * transcript is a page with status `missing`.
 */
export async function readTranscriptPage(
  dir: string,
  query: PageQuery,
  open: Session | null = null,
): Promise<TranscriptPart> {
  // Read before the page: a message that ends in between is then in both instead of in neither.
  const { partial } = open ?? {}
  const page = open && (await unlessClosed(open.page(query)))
  return page ? partOf(page, query, partial ?? null) : readFiles(dir, query)
}

/**
 * Counts the records of the transcript in `dir`; `open` as above. Returns null if it is missing.
 */
export async function countEntries(
  dir: string,
  open: Session | null = null,
): Promise<number | null> {
  const page = open && (await unlessClosed(open.page({ last: 0 })))
  const read = page ?? (await unlessGone(readJournalPage(join(dir, chatFile), { last: 0 })))
  return read?.total ?? null
}

/** Returns null if the session was closed meanwhile: its file is complete then. */
async function unlessClosed(page: Promise<Page>): Promise<Page | null> {
  return unlessGone(page).catch((error) => {
    if (error instanceof JournalClosedError) return null
    throw error
  })
}

/** Returns null if the file is missing, because it may be moved at any moment. */
async function unlessGone(page: Promise<Page>): Promise<Page | null> {
  return page.catch((error) => {
    if (error instanceof JournalReadError && error.code === 'ENOENT') return null
    throw error
  })
}

async function readFiles(dir: string, query: PageQuery): Promise<TranscriptPart> {
  const partial = await readPartial(join(dir, partialFile))
  const page = await unlessGone(readJournalPage(join(dir, chatFile), query))
  if (page) return partOf(page, query, partial)
  const status = partial ? 'partial-only' : 'missing'
  return { entries: [], values: [], total: 0, nextSeq: null, damage: [], partial, status }
}

function partOf(
  page: Page,
  { throughSeq }: PageQuery,
  partial: PartialMessage | null,
): TranscriptPart {
  const entries = page.records.map((record) => parseEntry(record))
  // Messages in progress follow every entry.
  const isAtEnd = page.nextSeq === null && throughSeq === undefined
  return {
    entries,
    values: page.records.flatMap(valuesOf),
    total: page.total,
    nextSeq: page.nextSeq,
    damage: page.damage.map(publicDamage),
    partial: isAtEnd ? unfinished(partial, entries) : null,
    status: page.damage.length > 0 ? 'damaged' : 'complete',
  }
}

/** Returns the values that a page with previews leaves out, and those that are lost. */
function valuesOf(record: JournalRecord): LongValue[] {
  const { seq } = record
  return blobReferences(record).map(({ at, bytes }) => ({ seq, at, bytes }))
}

/** Returns the bytes of `chat.jsonl` in `dir`; 0 if there is none. */
export async function transcriptBytes(dir: string): Promise<number> {
  return stat(join(dir, chatFile)).then(
    (stats) => stats.size,
    () => 0,
  )
}

/** Converts damage to the contract's form, which omits the file's private path. */
function publicDamage(damage: Damage): TranscriptPage['damage'][number] {
  return { file: chatFile, line: damage.line, bytes: damage.bytes, reason: damage.reason }
}

/**
 * A message that is complete in the journal is no longer in progress, even if `partial.json`
 * remains (A8).
 */
function unfinished(partial: PartialMessage | null, entries: Entry[]): PartialMessage | null {
  if (!partial) return null
  const committed = entries.some((entry) => entry.type === 'message' && entry.uuid === partial.uuid)
  return committed ? null : partial
}
