/**
 * The last actions of stopped agents, read from the ends of their transcripts once a component
 * shows them. Bounded: the oldest are dropped.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TranscriptPage } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'

/** Covers the last turn of most agents; of a longer turn only the last calls are shown. */
const lastEntries = 12
/** Each action is one line. */
const actsKeptMax = 500

export interface LastActions {
  /** By `task/run`; null if it is unknown. */
  store: StoreApi<ReadonlyMap<string, string | null>>
  /** Reads it unless already read. Never rejects. */
  load(taskId: TaskId, run: number): Promise<void>
}

/** By run, because each run has different last actions. */
export const actionKey = (taskId: TaskId, run: number): string => `${taskId}/${run}`

/** `describe` returns one line from the end of a transcript. */
export function createLastActions(deps: {
  client: Pick<ShiplogClient, 'transcripts'>
  describe: (page: TranscriptPage) => string | null
}): LastActions {
  const store = createStore<ReadonlyMap<string, string | null>>(() => new Map())
  const requested = new Set<string>()
  /** One at a time, so that a hundred rows do not cause a hundred concurrent reads. */
  let last: Promise<void> = Promise.resolve()

  async function read(key: string, taskId: TaskId): Promise<void> {
    try {
      const page = await deps.client.transcripts.page({
        taskId,
        at: 'end',
        limit: lastEntries,
      })
      const known = new Map(store.getState()).set(key, deps.describe(page))
      for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - actsKeptMax)))
        known.delete(oldest)
      store.setState(known, true)
    } catch {
      // The row shows why it stopped, so this is optional. The next request tries again.
      requested.delete(key)
    }
  }

  return {
    store,
    load(taskId, run) {
      const key = actionKey(taskId, run)
      if (requested.has(key)) return last
      requested.add(key)
      last = last.then(() => read(key, taskId))
      return last
    },
  }
}
