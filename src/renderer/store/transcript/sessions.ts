/**
 * The open transcripts. Those on screen stay open; of the others the most recently shown few are
 * kept too, so that going back is instant, and the rest are closed, which bounds the memory.
 */
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { LedgerStore } from '../ledger-store.ts'
import type { Schedule } from '../schedule.ts'
import { createTranscriptStore, type OpenAt, type TranscriptStore } from './transcript-store.ts'

/** Enough to switch between a lead and its sub-agents without reading again. */
export const idleTranscriptsMax = 4

export interface Sessions {
  /**
   * `from` is where it is shown. Two views of one task each get their own transcript, because each has its own place.
   * Each `use` needs its own `release`.
   */
  use(taskId: TaskId, from: OpenAt): TranscriptStore
  release(transcript: TranscriptStore): void
  close(): void
}

interface SessionsDeps {
  client: Pick<ShiplogClient, 'feed' | 'transcripts'>
  ledger: LedgerStore
  schedule?: Schedule
}

export function createSessions({ client, ledger, schedule }: SessionsDeps): Sessions {
  /** In the order of their last use. */
  const open = new Set<{ transcript: TranscriptStore; used: boolean; running: boolean }>()
  const taskOf = (taskId: TaskId) => ledger.store.getState().ledger.tasks.get(taskId)
  const runs = (taskId: TaskId) => isRunning(taskOf(taskId)?.status ?? 'queued')

  // The ledger determines whether an unfinished message is still growing or was cut short.
  const unsubscribe = ledger.store.subscribe(() => {
    for (const entry of open) {
      const running = runs(entry.transcript.taskId)
      if (running !== entry.running) entry.transcript.refresh()
      entry.running = running
    }
  })

  function use(taskId: TaskId, from: OpenAt): TranscriptStore {
    const known = [...open].findLast(
      ({ transcript, used }) => !used && transcript.taskId === taskId,
    )
    if (known) {
      open.delete(known)
      open.add(known)
      known.used = true
      if (known.transcript.store.getState().phase === 'failed') known.transcript.open(from)
      else goTo(known.transcript, from)
      return known.transcript
    }
    const transcript = createTranscriptStore({
      client,
      taskId,
      isArchived: () => taskOf(taskId)?.archived ?? false,
      isRunning: () => runs(taskId),
      schedule,
    })
    open.add({ transcript, used: true, running: runs(taskId) })
    transcript.open(from)
    return transcript
  }

  function release(transcript: TranscriptStore): void {
    for (const entry of open) if (entry.transcript === transcript) entry.used = false
    const idle = [...open].filter(({ used }) => !used)
    for (const entry of idle.slice(0, Math.max(0, idle.length - idleTranscriptsMax))) {
      entry.transcript.close()
      open.delete(entry)
    }
  }

  return {
    use,
    release,
    close() {
      unsubscribe()
      for (const { transcript } of open) transcript.close()
      open.clear()
    },
  }
}

/** A live transcript follows its end, unless it is opened at an entry. */
function goTo(transcript: TranscriptStore, from: OpenAt): void {
  if (typeof from === 'number') void transcript.goTo(from)
  else if (from === 'end' || transcript.store.getState().source === 'live')
    void transcript.jumpToEnd()
  else void transcript.goTo(1, { pointOut: false })
}
