/**
 * Every durable entry of one task, in order and each once: live while it runs, by pages for what the
 * feed did not carry (older than its snapshot, or archived before we looked).
 */
import { isDefinedError } from '@orpc/client'
import type { SessionFeedEvent } from '../../../../shared/contract/feed.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import {
  type TranscriptPage,
  transcriptPageEntriesMax,
} from '../../../../shared/contract/workspace.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { withWholeValues } from '../../../../shared/whole-values.ts'
import { untilAborted } from './until-aborted.ts'

export interface SessionWatcher {
  entries(taskId: TaskId, entries: Entry[]): Promise<void>
  /** The message in progress changed; its text becomes an entry when its turn ends. */
  progress(
    taskId: TaskId,
    event: Extract<SessionFeedEvent, { type: 'partial' | 'delta' }>,
  ): Promise<void>
}

export interface SessionFollower {
  /** Resolves when all entries that are durable by then were delivered. */
  finish(): Promise<void>
}

/** `after`: entries up to this one are not reported. */
export function followSession(
  client: ShiplogClient,
  taskId: TaskId,
  watcher: SessionWatcher,
  { ending, closed, after = 0 }: { ending: AbortSignal; closed: AbortSignal; after?: number },
): SessionFollower {
  const stop = new AbortController()
  let lastSeq = after

  async function handOver(entries: Entry[]): Promise<void> {
    const fresh = entries.filter((entry) => entry.seq > lastSeq)
    const [first] = fresh
    if (!first) return
    if (first.seq > lastSeq + 1) await readPages(first.seq - 1)
    await watcher.entries(taskId, fresh)
    lastSeq = Math.max(lastSeq, fresh.at(-1)?.seq ?? 0)
  }

  /** Hands over what the transcript holds after `lastSeq`, up to `toSeq`. */
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
    for await (const event of untilAborted(feed, signal)) {
      switch (event.type) {
        case 'snapshot':
          await handOver(event.entries)
          await watcher.progress(taskId, { type: 'partial', partial: event.partial })
          break
        case 'entries':
          await handOver(event.entries)
          break
        case 'partial':
        case 'delta':
          await watcher.progress(taskId, event)
          break
        // A terminal shows results.
        case 'running':
        case 'call-progress':
          break
        case 'ended':
          return
      }
    }
  }

  const live = followLive().catch((error) => {
    // It was archived, or closed, before it could be followed: the pages have it all.
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
