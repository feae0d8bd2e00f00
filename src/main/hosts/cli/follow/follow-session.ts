/**
 * Delivers every durable entry of a task once and in order: from its feed while it runs, and from pages what the feed
 * does not have (older than its snapshot, or already archived).
 */
import { isDefinedError } from '@orpc/client'
import type { SessionFeedEvent } from '../../../../shared/contract/feed.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { withWholeValues } from '../../../../shared/contract/transcripts/whole-values.ts'
import {
  type TranscriptPage,
  transcriptPageEntriesMax,
} from '../../../../shared/contract/workspace.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { eventsUntilAborted } from './events-until-aborted.ts'

export interface SessionWatcher {
  entries(taskId: TaskId, entries: Entry[]): Promise<void>
  /** Called when the message in progress changes. Its text becomes an entry when its turn ends. */
  progress(
    taskId: TaskId,
    event: Extract<SessionFeedEvent, { type: 'partial' | 'delta' }>,
  ): Promise<void>
}

export interface SessionFollower {
  /** Resolves once all entries that are durable by then were delivered. */
  finish(): Promise<void>
}

/** Delivers entries after seq `after`. */
export function followSession(
  client: ShiplogClient,
  taskId: TaskId,
  watcher: SessionWatcher,
  { ending, closed, after = 0 }: { ending: AbortSignal; closed: AbortSignal; after?: number },
): SessionFollower {
  const stop = new AbortController()
  let lastSeq = after

  async function deliver(entries: Entry[]): Promise<void> {
    const newEntries = entries.filter((entry) => entry.seq > lastSeq)
    const [first] = newEntries
    if (!first) return
    if (first.seq > lastSeq + 1) await readPages(first.seq - 1)
    await watcher.entries(taskId, newEntries)
    lastSeq = Math.max(lastSeq, newEntries.at(-1)?.seq ?? 0)
  }

  /** Delivers the entries after `lastSeq` up to `toSeq`. */
  async function readPages(toSeq: number): Promise<void> {
    let fromSeq: number | null = lastSeq + 1
    while (fromSeq !== null && fromSeq <= toSeq) {
      const query = {
        taskId,
        at: { seq: fromSeq },
        limit: transcriptPageEntriesMax,
        previews: false,
      }
      const page: TranscriptPage = await withWholeValues(
        client,
        await client.transcripts.page(query),
        {
          bytesMax: Number.POSITIVE_INFINITY,
        },
      )
      const entries = page.entries.filter((entry) => entry.seq > lastSeq && entry.seq <= toSeq)
      await watcher.entries(taskId, entries)
      lastSeq = Math.max(lastSeq, entries.at(-1)?.seq ?? 0)
      fromSeq = page.nextSeq
    }
  }

  async function followLive(): Promise<void> {
    const signal = AbortSignal.any([stop.signal, closed])
    const feed = await client.feed.session({ workspaceId: taskId }, { signal })
    for await (const event of eventsUntilAborted(feed, signal)) {
      switch (event.type) {
        case 'snapshot':
          await deliver(event.entries)
          await watcher.progress(taskId, { type: 'partial', partial: event.partial })
          break
        case 'entries':
          await deliver(event.entries)
          break
        case 'partial':
        case 'delta':
          await watcher.progress(taskId, event)
          break
        // Only results are printed.
        case 'running':
        case 'call-progress':
          break
        case 'ended':
          return
      }
    }
  }

  const live = followLive().catch((error) => {
    // The session was archived or closed before it could be followed; the pages have all entries.
    if (stop.signal.aborted || ending.aborted || isGone(error)) return
    throw error
  })
  live.catch(() => {}) // reported by finish()

  return {
    async finish() {
      stop.abort()
      await live
      await readPages(Number.POSITIVE_INFINITY).catch((error) => {
        if (!ending.aborted) throw error
      })
    },
  }
}

const isGone = (error: unknown): boolean =>
  isDefinedError(error as Error) && (error as { code?: string }).code === 'NOT_FOUND'
