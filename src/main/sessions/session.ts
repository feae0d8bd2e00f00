/**
 * An open session: appends entries to `chat.jsonl` and writes the message in progress to
 * `partial.json`, and the output of running calls to `running.json`. Listeners are called after the entry is durable (J6).
 */
import { createHash } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type CallProgress, joinProgress } from '../../shared/agents/agent-records.ts'
import type { SessionState } from '../../shared/projections/session/session-state.ts'
import type { Entry, EntryBody } from '../../shared/records/entries.ts'
import type { PartialMessage } from '../../shared/records/entry-types/messages.ts'
import {
  type EntryId,
  entryIdSchema,
  newEntryId,
  type TaskId,
  type ToolCallId,
} from '../../shared/records/ids.ts'
import { entryVersion, parseEntry } from '../../shared/records/parse-entry.ts'
import type { TranscriptCounts } from '../../shared/records/tasks/transcript-status.ts'
import {
  blobDirectory,
  type Damage,
  exists,
  type Healing,
  openJournal,
  type Page,
  type PageQuery,
  readBlob,
  refuseSymlink,
  storeBlob,
  storeBlobFile,
} from '../journal/index.ts'
import { createPartialWriter } from './partial-file.ts'
import { chatFile, partialFile, runningFile } from './session-files.ts'
import { createStateKeeper } from './state-keeper.ts'

export type SessionEvent =
  | { type: 'entries'; entries: Entry[] }
  | { type: 'partial'; partial: PartialMessage | null }
  | { type: 'delta'; part: number; partType: 'text' | 'reasoning'; text: string }
  /** A running call has printed more output, or has a better description. */
  | { type: 'call-progress'; progress: CallProgress }
  | { type: 'ended' }

export interface Session {
  readonly id: TaskId
  readonly dir: string
  readonly lastSeq: number
  readonly healed: Healing[]
  readonly damage: Damage[]
  readonly partial: PartialMessage | null
  /**
   * Resolves with the entries once they are durable; they share one sync. Rejects with
   * JournalWriteError.
   */
  append(...bodies: EntryBody[]): Promise<Entry[]>
  /** Starts or replaces the message in progress, or drops it (null). Never waits for the disk. */
  setPartial(partial: PartialMessage | null): void
  /** Resolves once the current message in progress is written, so that it survives the process. */
  flushPartial(): Promise<void>
  /**
   * Appends streamed text to part `part` of the message in progress, which `setPartial` started.
   */
  addDelta(part: number, partType: 'text' | 'reasoning', text: string): void
  /** Emits the progress of a running call. Not an entry, because the result contains all of it. */
  callProgressed(progress: CallProgress): void
  /** The last progress of each running call. */
  readonly running: CallProgress[]
  /** Moves a file with durable content into `blobs/`, under the hash of its content. */
  keepBlob(blob: { file: string; sha256: string; bytes: number }): Promise<void>
  /** Stores a blob from memory, such as an image. Durable when it resolves. */
  storeBlob(data: Uint8Array): Promise<{ sha256: string; bytes: number }>
  /** Returns a blob, or null if it is no longer kept. */
  readBlob(sha256: string): Promise<Uint8Array | null>
  page(query: PageQuery): Promise<Page>
  entries(query?: { fromSeq?: number }): AsyncIterable<Entry>
  /**
   * Resolves with the folded state of all durable entries (G9). It is updated in place: read it at
   * once and do not change it.
   */
  state(): Promise<SessionState>
  /** Resolves with the counts of the durable transcript; null if some of it can't be read. */
  counts(): Promise<TranscriptCounts | null>
  close(): Promise<void>
}

/** Where the next entry continues from. */
interface Position {
  parent: EntryId | null
  /** The parents of the open forks, the innermost last; entries after a fork continue from its parent. */
  beforeForks: readonly (EntryId | null)[]
}

/** There is no transcript to continue, and a new one would be mistaken for it. */
export class SessionMissingError extends Error {
  readonly kind = 'session-missing'
  constructor() {
    super('its transcript is gone')
  }
}

/**
 * Opens the session in `dir` and heals its journal if necessary (J4). `publish` is called with
 * every event in order and must not throw. `prepare` transforms an entry before it is written. With
 * `mustExist`, throws SessionMissingError instead of creating a transcript. `isDisplaced` is
 * passed to the journal. `onIgnored` is called for a failure that has no consequences.
 */
export async function openSession(
  id: TaskId,
  dir: string,
  publish: (event: SessionEvent) => void,
  {
    prepare = (body) => body,
    mustExist = false,
    isDisplaced,
    onIgnored = () => {},
  }: {
    prepare?: (body: EntryBody) => EntryBody
    mustExist?: boolean
    isDisplaced?: () => boolean
    onIgnored?: (what: string, error: unknown) => void
  } = {},
): Promise<Session> {
  await refuseSymlink(dir)
  if (mustExist && !(await exists(join(dir, chatFile)))) throw new SessionMissingError()
  const journal = await openJournal(join(dir, chatFile), {
    isDisplaced,
    onIndexFailed: (error) => onIgnored(`the offset index of ${id} could not be stored`, error),
  })
  const partialWriter = createPartialWriter<PartialMessage>(join(dir, partialFile), (error) =>
    onIgnored(`the message in progress of ${id} could not be written`, error),
  )
  const runningWriter = createPartialWriter<CallProgress[]>(join(dir, runningFile), (error) =>
    onIgnored(`the output of running commands of ${id} could not be written`, error),
  )
  const blobs = blobDirectory(join(dir, chatFile))
  let partial: PartialMessage | null = null
  /**
   * False for an existing file: it is from an earlier run and may be the only copy of its content
   * (A8).
   */
  let partialIsOurs = false
  const parent = await lastEntryId().catch(async (error) => {
    await journal.close()
    throw error
  })
  let position: Position = { parent, beforeForks: [] }
  let durablePosition = position
  const running = new Map<ToolCallId, CallProgress>()
  const keeper = createStateKeeper({
    journal,
    dir,
    isDisplaced,
    onSaveFailed: (error) => onIgnored(`the checkpoint of ${id} could not be stored`, error),
  })
  let published: Promise<void> = Promise.resolve()

  const writeRunning = (): void => {
    const printed = [...running.values()].filter(({ output }) => output !== '')
    runningWriter.write(printed.length > 0 ? printed : null)
  }

  async function lastEntryId(): Promise<EntryId | null> {
    const [last] = (await journal.page({ last: 1 })).records
    const parsed = entryIdSchema.safeParse(last?.uuid)
    return parsed.success ? parsed.data : null
  }

  async function append(...bodies: EntryBody[]): Promise<Entry[]> {
    const records = bodies.map(prepare).map((body) => {
      const uuid = body.uuid ?? newEntryId()
      const { parent, beforeForks } = position
      const parentUuid = body.type === 'fork-start' ? (body.parentUuid ?? parent) : parent
      position = { parent: uuid, beforeForks }
      if (body.type === 'fork-start')
        position = { parent: uuid, beforeForks: [...beforeForks, parent] }
      if (body.type === 'fork-end' && beforeForks.length > 0)
        position = { parent: beforeForks.at(-1) ?? null, beforeForks: beforeForks.slice(0, -1) }
      return { v: entryVersion, ...body, uuid, parentUuid }
    })
    const after = position
    const appended = journal.appendAll(records)
    const before = published.catch(() => undefined)
    const entries = appended.then((stored) => stored.map((record) => parseEntry(record)))
    published = entries.then(async (durable) => {
      await before
      durablePosition = after
      let ended = false
      for (const entry of durable)
        if (entry.type === 'tool-result') ended = running.delete(entry.callId) || ended
      if (ended) writeRunning()
      keeper.added(durable)
      publish({ type: 'entries', entries: durable })
    })
    // An entry that failed to write must not become a parent.
    await published.catch((error) => {
      position = durablePosition
      throw error
    })
    return entries
  }

  async function* entries(query?: { fromSeq?: number }): AsyncGenerator<Entry> {
    for await (const record of journal.records(query)) yield parseEntry(record)
  }

  return {
    id,
    dir,
    get lastSeq() {
      return journal.lastSeq
    },
    healed: journal.healed,
    damage: journal.damage,
    get partial() {
      return partial
    },
    append,
    flushPartial: partialWriter.flush,
    setPartial(next) {
      partial = next
      partialIsOurs = true
      partialWriter.write(next)
      publish({ type: 'partial', partial: next })
    },
    addDelta(part, partType, text) {
      if (!partial) return
      const known = partial.parts[part]
      const grown =
        known && known.type === partType
          ? { ...known, text: known.text + text }
          : { type: partType, text }
      partial = { ...partial, parts: partial.parts.toSpliced(part, 1, grown) }
      partialWriter.write(partial)
      publish({ type: 'delta', part, partType, text })
    },
    callProgressed(news) {
      const progress = joinProgress({ callId: news.callId, output: '' }, news)
      const before = running.get(news.callId)
      running.set(news.callId, before ? joinProgress(before, progress) : progress)
      writeRunning()
      publish({ type: 'call-progress', progress })
    },
    get running() {
      return [...running.values()]
    },
    keepBlob: (blob) => storeBlobFile(blobs, blob),
    async storeBlob(data) {
      const sha256 = createHash('sha256').update(data).digest('hex')
      await storeBlob(blobs, { sha256, data: Buffer.from(data) })
      return { sha256, bytes: data.length }
    },
    readBlob: (sha256) => readBlob(blobs, sha256),
    page: (query) => journal.page(query),
    entries,
    state: keeper.state,
    async counts() {
      await published.catch(() => undefined)
      const { messages } = await keeper.state()
      const { total: all } = await journal.page({ last: 0 })
      if (journal.damage.length > 0) return null
      const { size: bytes } = await stat(join(dir, chatFile))
      return { entries: all, messages, bytes }
    },
    async close() {
      await partialWriter.flush()
      await runningWriter.flush()
      await keeper.close()
      // Only a preview: if it can't be removed now, the next start removes it.
      if (partialIsOurs && !partial)
        await rm(join(dir, partialFile), { force: true }).catch(() => undefined)
      await journal.close()
    },
  }
}
