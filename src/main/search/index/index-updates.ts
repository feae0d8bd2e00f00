/** Updates the index with new and changed transcripts, one at a time, newest first. */
import { setTimeout as delay } from 'node:timers/promises'
import type { SearchIndexState } from '../../../shared/contract/search.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { tasksMovedBy } from '../../archive/session-moves.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { isSearched, newestFirst, placeOf } from '../searched-tasks.ts'
import { type IndexThread, startIndexThread } from './index-thread.ts'
import type { SessionToIndex } from './session-indexer.ts'
import type { Outcome } from './worker.ts'

/** A busy agent writes many entries per second; the pause batches them. */
const pauseMs = 500
/** Attempts to read one task before its failure is reported. */
const attemptsMax = 10
/** Pause between attempts. All attempts together outlast the move of a transcript on most disks. */
const attemptPauseMs = 100
/** Rounds of updates that a search waits for. */
const roundsMax = 12
/** Delay after a failed write, for example on a full disk. */
const retryMs = 30_000

export interface IndexUpdates {
  state(): SearchIndexState
  /** Resolves once the index has every entry recorded before the call, or the index can't be used. */
  upToDate(signal: AbortSignal | undefined): Promise<void>
  /** Calls the thread. Resolves with null if the index can't be used now; `state` has the reason. */
  ask<Result>(
    call: (calls: IndexThread['calls']) => Promise<Outcome<Result>>,
  ): Promise<Result | null>
  close(): Promise<void>
}

interface Dependencies {
  ledger: Ledger
  sessions: Pick<Sessions, 'subscribeAll'>
  archive: Pick<ArchiveReader, 'transcriptFile' | 'findReport'>
  /** Path of the index. */
  file: string
  /** Reports failures that do not stop searching. */
  onIgnored: (what: string, error: unknown) => void
}

export function startIndexUpdates(deps: Dependencies): IndexUpdates {
  const { ledger, sessions, archive, file, onIgnored } = deps
  const { tasks } = ledger.state
  const closing = new AbortController()
  /** Tasks whose transcripts may have entries that are not in the index. */
  const changed = new Set<TaskId>()
  /** Consecutive failures to read each task. */
  const failures = new Map<TaskId, number>()
  let thread: IndexThread | null = null
  let unusable: string | null = null
  /** Whether all tasks must be compared with the index: at the start, and when it may have lost documents. */
  let mustCompare = true
  let working: Promise<void> | null = null
  let hurry = new AbortController()

  const unsubscribe = [
    sessions.subscribeAll(({ id }) => {
      thread?.noteRecorded()
      markChanged([id])
    }),
    ledger.subscribe((records) => {
      for (const record of records) {
        const { event } = record
        markChanged(tasksMovedBy(record, ledger.state))
        if (event.type === 'task.created' || event.type === 'task.renamed')
          markChanged([event.taskId])
      }
    }),
  ]

  function markChanged(ids: readonly TaskId[]): void {
    for (const id of ids) changed.add(id)
    if (ids.length > 0) void work()
  }

  function work(): Promise<void> {
    working ??= update().finally(() => {
      working = null
      const isMoreLeft = changed.size > 0 || mustCompare
      if (isMoreLeft && !closing.signal.aborted && unusable === null) void work()
    })
    return working
  }

  async function update(): Promise<void> {
    if (mustCompare) await findOutdated()
    else await pause()
    if (failures.size > 0)
      await delay(attemptPauseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    const known = newestFirst([...changed].flatMap((id) => tasks.get(id) ?? []))
    const gone = [...changed].filter((id) => !tasks.has(id))
    for (const id of [...gone, ...known.map((task) => task.id)]) {
      if (closing.signal.aborted || unusable !== null) return
      changed.delete(id)
      try {
        const attempt = (failures.get(id) ?? 0) + 1
        if (await updateOne(id, attempt)) failures.delete(id)
        else changed.add(id)
      } catch (error) {
        if (closing.signal.aborted) return
        // The transcript may have been moved during the read; the next attempt uses its new path.
        const failed = (failures.get(id) ?? 0) + 1
        if (failed < attemptsMax) {
          failures.set(id, failed)
          changed.add(id)
          continue
        }
        failures.delete(id)
        // An unreadable transcript must not block the others.
        onIgnored('A transcript could not be added to the search index', error)
      }
    }
    await ask((calls) => calls.commit())
  }

  const pause = () =>
    delay(pauseMs, undefined, { signal: AbortSignal.any([closing.signal, hurry.signal]) }).catch(
      () => undefined,
    )

  /** Finds the changes made while the index was not being updated. */
  async function findOutdated(): Promise<void> {
    const known = await ask((calls) => calls.sessions())
    if (!known) return
    mustCompare = false
    const indexed = new Map(known.map((one) => [one.taskId, one]))
    for (const [id, { lastSeq, title }] of indexed) {
      const task = tasks.get(id)
      const isSame =
        task &&
        isSearched(task) &&
        task.title === title &&
        lastSeq === task.transcriptCounts?.entries
      if (!isSame) changed.add(id)
    }
    for (const task of tasks.values())
      if (isSearched(task) && !indexed.has(task.id)) changed.add(task.id)
  }

  /** Returns false if the index could not be used. */
  async function updateOne(taskId: TaskId, attempt: number): Promise<boolean> {
    const task = tasks.get(taskId)
    const session = task && isSearched(task) ? await sessionOf(task) : null
    if (task && session?.file === null && isKept(task) && attempt < attemptsMax)
      throw new Error('The transcript was not found.')
    const done = await ask<unknown>((calls) =>
      session ? calls.index(session) : calls.remove({ taskId }),
    )
    return done !== null
  }

  async function sessionOf(task: Task): Promise<SessionToIndex> {
    const place = await placeOf(archive, task)
    return { ...place, report: place.file === null && task.hasReport ? await reportOf(task) : null }
  }

  async function reportOf({ id, endedAt, createdAt }: Task): Promise<SessionToIndex['report']> {
    const found = await archive.findReport(id)
    if (found.kind !== 'found') return null
    const { title, reportMarkdown: markdown } = found.report
    return { title, markdown, at: Date.parse(endedAt ?? createdAt) }
  }

  async function ask<Result>(
    call: (calls: IndexThread['calls']) => Promise<Outcome<Result>>,
  ): Promise<Result | null> {
    if (closing.signal.aborted) return null
    thread ??= started()
    const outcome = await call(thread.calls).catch((error: unknown): Outcome<Result> => {
      thread = null
      return { kind: 'failed', reason: messageOf(error) }
    })
    if (outcome.kind === 'done') {
      unusable = null
      return outcome.result
    }
    if (closing.signal.aborted) return null
    onIgnored('The search index could not be used', new Error(outcome.reason))
    if (outcome.kind === 'emptied') {
      mustCompare = true
      void work()
      return null
    }
    unusable = outcome.reason
    // Documents of other tasks may have been rolled back with it.
    mustCompare = true
    if (outcome.kind === 'failed') retryLater()
    return null
  }

  function started(): IndexThread {
    const one = startIndexThread(file)
    void one.failed.then(() => {
      if (thread === one) thread = null
      // What the thread had not committed is lost.
      mustCompare = true
    })
    return one
  }

  function retryLater(): void {
    setTimeout(() => {
      if (closing.signal.aborted) return
      unusable = null
      void work()
    }, retryMs).unref()
  }

  void work()

  return {
    state() {
      const total = [...tasks.values()].filter(isSearched).length
      const indexed = mustCompare ? 0 : Math.max(0, total - changed.size)
      if (unusable !== null) return { state: 'unavailable', indexed, total, reason: unusable }
      return { state: working ? 'updating' : 'ready', indexed, total, reason: null }
    },
    async upToDate(signal) {
      hurry.abort()
      const relax = thread?.hurry()
      // The round in progress may have started before the last change; the next one has it, or a later one if a
      // transcript is moved meanwhile. Agents at work may keep the queue from ever being empty.
      for (let round = 0; round < roundsMax && working && unusable === null; round++) {
        if (signal?.aborted) break
        await working
      }
      relax?.()
      hurry = new AbortController()
    },
    ask,
    async close() {
      closing.abort()
      for (const end of unsubscribe) end()
      await thread?.close()
      await working?.catch(() => {})
    },
  }
}

/** Whether the task has a transcript. While the transcript is being moved, it may be at neither path. */
const isKept = ({ transcriptExpired, transcriptCounts }: Task): boolean =>
  !transcriptExpired && (transcriptCounts?.entries ?? 0) > 0
