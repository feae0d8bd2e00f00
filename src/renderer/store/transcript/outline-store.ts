/** The outline of one transcript, read page by page while it is shown and as the transcript grows. */

import { createStore, type StoreApi } from 'zustand/vanilla'
import { readPages } from '../../../shared/async/read-pages.ts'
import { firstIndexOf } from '../../../shared/collections/first-index.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { OutlineItem } from '../../../shared/contract/transcripts/transcripts.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** The contract's maximum: each page reads megabytes of entries. */
const pageItems = 500
/** Minimum interval of reads while the transcript grows. */
const renewMs = 1_000

interface OutlineView {
  items: OutlineItem[]
  /** Whether more items are being read. */
  busy: boolean
  problem: Problem | null
}

export interface OutlineStore {
  store: StoreApi<OutlineView>
  /** Continues reading if the transcript has more entries than were read. */
  follow(totalEntries: number): void
  retry(): void
  close(): void
}

export function createOutlineStore({
  client,
  taskId,
}: {
  client: { transcripts: Pick<ShiplogClient['transcripts'], 'outline'> }
  taskId: TaskId
}): OutlineStore {
  const store = createStore<OutlineView>(() => ({ items: [], busy: false, problem: null }))
  const controller = new AbortController()
  const { signal } = controller
  let wantedTotal = 0
  let readTotal = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function readPending(): Promise<void> {
    const total = wantedTotal
    store.setState({ busy: true, problem: null })
    try {
      let [kept, fromSeq] = settled(store.getState().items)
      const pages = readPages(fromSeq, (seq) =>
        client.transcripts.outline({ taskId, fromSeq: seq, limit: pageItems }, { signal }),
      )
      for await (const { items } of pages) {
        if (signal.aborted) return
        kept = [...kept, ...items]
        store.setState({ items: kept })
      }
      readTotal = total
    } catch (error) {
      if (signal.aborted) return
      return store.setState({ busy: false, problem: problemOf(error, 'read the outline') })
    }
    store.setState({ busy: false })
    if (wantedTotal > readTotal) timer = setTimeout(() => void readPending(), renewMs)
  }

  return {
    store,
    follow(totalEntries) {
      wantedTotal = Math.max(wantedTotal, totalEntries)
      const { busy, problem } = store.getState()
      if (busy || problem || wantedTotal <= readTotal) return
      clearTimeout(timer)
      if (readTotal === 0) void readPending()
      else timer = setTimeout(() => void readPending(), renewMs)
    },
    retry() {
      if (!store.getState().busy) void readPending()
    },
    close() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}

/**
 * Returns the items that more entries can't change, and the seq from which to continue reading. A
 * last turn without a message is read again, because its name still is that of its first call.
 */
function settled(items: OutlineItem[]): [OutlineItem[], number] {
  let { length } = items
  for (let last = items[length - 1]; last?.kind === 'turn' && last.status !== 'complete'; ) {
    length -= 1
    last = items[length - 1]
  }
  return [items.slice(0, length), (items[length - 1]?.seq ?? 0) + 1]
}

/** Returns the index of the item that entry `seq` belongs to; -1 before the first. */
export function outlineIndexOf(items: OutlineItem[], seq: number): number {
  const first = firstIndexOf(items, (item) => item.seq >= seq)
  const next = items[first]
  // A turn is named by its last entry, its message; everything else by its first.
  return next && (next.seq === seq || next.kind === 'turn') ? first : first - 1
}
