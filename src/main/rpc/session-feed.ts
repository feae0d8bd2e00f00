/** The feed of one session: its newest entries, then added entries, and the message in progress as it is written. */
import { setTimeout as delay } from 'node:timers/promises'
import { withEventMeta } from '@orpc/server'
import { joinProgress } from '../../shared/agents/agent-records.ts'
import { createFeedQueue } from '../../shared/async/feed-queue.ts'
import { readPages } from '../../shared/async/read-pages.ts'
import { feedBatchMax, type SessionFeedEvent } from '../../shared/contract/feed.ts'
import { type TranscriptPage, transcriptPageBytesMax } from '../../shared/contract/workspace.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { SessionEvent } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** Minimum interval between text events: two frames, which looks continuous. */
const deltaIntervalMs = 33
const backlogMax = 2_000
/** A few screens. More would delay the first rows; older entries are read in pages. */
const snapshotEntries = 60
const retryMs = 200

export async function* sessionFeed(
  deps: { sessions: Sessions; records: ArchiveReader },
  workspaceId: TaskId,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionFeedEvent> {
  const { sessions, records } = deps
  const pending = createFeedQueue<SessionEvent>({ signal })
  const unsubscribe = sessions.subscribe(workspaceId, (event) => {
    pending.put(event, (last) => merged(last, event))
  })
  let seq = Number(lastEventId ?? 0)
  const stamped = (event: SessionFeedEvent) =>
    withEventMeta(event, { id: String(seq), retry: retryMs })
  const partialNow = () => sessions.current(workspaceId)?.partial ?? null

  /** Drops pending text events, because `partialNow` already contains their text. */
  const dropPendingText = () => {
    const waiting = pending.takeUpTo(pending.size)
    for (const event of waiting)
      if (event.type === 'entries' || event.type === 'ended') pending.put(event)
  }

  /** Ends the feed of an archived session, which no process writes any more. */
  const endIfArchived = (source: TranscriptPage['source']) => {
    if (source === 'archived') pending.put({ type: 'ended' })
  }

  async function* catchUp(): AsyncGenerator<SessionFeedEvent> {
    if (Number.isSafeInteger(seq) && lastEventId !== undefined) {
      let source: TranscriptPage['source'] | null = null
      const limits = { limit: feedBatchMax, bytesMax: transcriptPageBytesMax }
      const pages = readPages(seq + 1, (fromSeq) =>
        records.transcriptPage(workspaceId, { fromSeq, ...limits }),
      )
      for await (const page of pages) {
        source = page.source
        if (page.entries.length === 0) continue
        seq = page.entries.at(-1)?.seq ?? seq
        yield stamped({ type: 'entries', entries: page.entries })
      }
      dropPendingText()
      if (source !== null) endIfArchived(source)
      // Read before the next yield; text written in between would be sent twice.
      const runningCalls = running()
      yield stamped({ type: 'partial', partial: partialNow() })
      yield runningCalls
      return
    }
    yield* await snapshot()
  }

  const running = (): SessionFeedEvent =>
    stamped({ type: 'running', calls: sessions.current(workspaceId)?.running ?? [] })

  async function snapshot(): Promise<SessionFeedEvent[]> {
    const page = await records.transcriptPage(workspaceId, {
      last: snapshotEntries,
      bytesMax: transcriptPageBytesMax,
    })
    seq = page.entries.at(-1)?.seq ?? 0
    dropPendingText()
    // Without a writer, the file has the partial message that a crash left behind.
    const partial = sessions.current(workspaceId) ? partialNow() : page.partial
    endIfArchived(page.source)
    const { entries, damage } = page
    return [stamped({ type: 'snapshot', seq, entries, partial, damage }), running()]
  }

  try {
    yield* catchUp()
    while (!signal?.aborted) {
      if (pending.size > backlogMax) {
        pending.clear()
        yield* await snapshot()
      }
      const event = pending.take()
      if (!event) {
        await pending.wait()
        continue
      }
      if (event.type === 'entries') {
        for (const entries of batches(event.entries.filter((entry) => entry.seq > seq))) {
          seq = entries.at(-1)?.seq ?? seq
          yield stamped({ type: 'entries', entries })
        }
      } else {
        yield stamped(event)
        if (event.type === 'ended') return
        if (event.type === 'delta' || event.type === 'call-progress') await delay(deltaIntervalMs)
      }
    }
  } finally {
    unsubscribe()
  }
}

function merged(last: SessionEvent, next: SessionEvent): SessionEvent | null {
  if (last.type === 'call-progress' && next.type === 'call-progress')
    return last.progress.callId === next.progress.callId
      ? { ...last, progress: joinProgress(last.progress, next.progress) }
      : null
  if (last.type !== 'delta' || next.type !== 'delta' || last.part !== next.part) return null
  return { ...last, text: last.text + next.text }
}

/** Splits entries into batches of at most a page, each with at least one entry. */
function* batches(entries: Entry[]): Generator<Entry[]> {
  let batch: Entry[] = []
  let bytes = 0
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry))
    const isFull = batch.length === feedBatchMax || bytes + size > transcriptPageBytesMax
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
