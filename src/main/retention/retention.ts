/**
 * Retention of transcripts (X): sweeps at start and on demand, their receipts, and restoring. `plan.ts` and `trash.ts`
 * select the items; FORMAT.md specifies the order of durable writes.
 */

import type {
  ReceiptItem,
  ReceiptSummary,
  RemovalReason,
  RemovedItem,
  RetentionSettings,
  Sweep,
  SweepPreview,
  SweptBy,
  TrashEntry,
} from '../../shared/contract/retention.ts'
import { dayMs } from '../../shared/durations.ts'
import { FailureError, refused } from '../../shared/failure.ts'
import { createKeyedMutex } from '../../shared/keyed-mutex.ts'
import {
  newReceiptId,
  parseTaskId,
  type ReceiptId,
  resolveId,
  type TaskId,
} from '../../shared/records/ids.ts'
import type { LedgerEvent } from '../../shared/records/ledger.ts'
import { whatBecameOf } from '../../shared/text/receipt-text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { namesInTrash } from '../sessions/trash-names.ts'
import type { RestoredWorkspaces } from '../workspaces/archived/restore.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { createClockGuard } from './clock-guard.ts'
import { createExpiry } from './expiry.ts'
import {
  isPinned,
  keptReasons,
  keptTranscripts,
  lastActivityMs,
  planSweep,
  protectedTasks,
} from './plan.ts'
import { createReceipts, withStates } from './receipts.ts'
import { openSettings } from './settings.ts'
import { createSizes } from './sizes.ts'
import { type PlannedPurge, whatIs } from './trash.ts'
import { createTrashBin } from './trash-bin.ts'

export interface Retention {
  settings(): RetentionSettings
  setSettings(settings: RetentionSettings): Promise<RetentionSettings>
  /** Returns the items that a sweep would remove now. Changes only the cache of the trash. */
  preview(settings?: RetentionSettings): Promise<SweepPreview>
  /**
   * Moves expired transcripts to the trash, and deletes items that have been in the trash for long enough (X3). Uses
   * the settings, overridden by the given ones. Refuses after the clock jumped ahead, unless `clockIsRight`.
   */
  sweep(
    asked?: Partial<Pick<RetentionSettings, 'transcriptTtlDays'>> & { clockIsRight?: boolean },
  ): Promise<Sweep>
  receipts(): Promise<{ receipts: ReceiptSummary[]; unreadable: string[] }>
  trash(): Promise<{
    entries: TrashEntry[]
    bytes: number
    bytesMax: number | null
    /** Absolute. */
    dir: string
  }>
  /**
   * Returns the absolute folder of one item in the trash; the trash itself for null, and for an item that is not a
   * folder.
   */
  trashFolderOf(name: string | null): Promise<string>
  /** Restores items from the trash, by their names there; `left` gives the reason for each that stays. */
  restoreTrashed(
    names: string[],
  ): Promise<{ restored: string[]; left: { name: string; why: string }[] }>
  /** Permanently deletes items, with a receipt. Pinned ones stay. */
  deleteTrashed(
    names: string[],
  ): Promise<{ deleted: string[]; left: { name: string; why: string }[] }>
  /**
   * Moves transcripts of finished tasks to the trash at the user's request, with a receipt; reports and patches stay.
   * `left` gives the reason for each that is kept.
   */
  deleteTranscripts(taskIds: TaskId[]): Promise<DeletedTranscripts>
  /** By id or unique prefix. Throws FailureError. */
  receipt(receiptId: string): Promise<ReceiptSummary & { items: ReceiptItem[] }>
  /** Restores transcripts to their places. Throws FailureError if none can be restored. */
  undo(
    receiptId: string,
    taskId?: TaskId,
  ): Promise<{ restored: TaskId[]; left: { id: TaskId; why: string }[] }>
  /** Restores a removed root from the archive or the trash, its transcript first: a follow-up continues that. */
  restore(taskId: TaskId): Promise<RestoredWorkspaces>
  pin(taskId: TaskId, pinned: boolean): Promise<void>
  /**
   * Completes in the background the interrupted work of an earlier process, then sweeps unless `sweep` is false. Only
   * `settled` waits for it.
   */
  begin(options: { sweep: boolean }): void
  settled(): Promise<void>
  /** Stops after the current transcript; the next start continues. */
  close(): Promise<void>
}

interface DeletedTranscripts {
  deleted: TaskId[]
  left: { id: TaskId; why: string }[]
  /** Null if none could be deleted. */
  receipt: ReceiptId | null
}

interface RetentionDependencies {
  ledger: Ledger
  layout: DataLayout
  workspaces: WorkspaceService
  clock: () => number
  onProblem: (text: string, error: unknown) => void
  /** Called with the items that the sweep at start removed. */
  onSwept: (sweep: Sweep) => void
  /** Called when a receipt was undone, as a whole or in part. */
  onUndone: (receiptId: ReceiptId) => void
  /** Overrides the settings in the file. */
  override?: Partial<RetentionSettings>
  /** Called once if the settings can't be read, because nothing expires until they are saved again. */
  onSettingsLost: (detail: string) => void
  /** Called once if the clock is weeks past the newest record, because nothing expires until it is confirmed. */
  onClockAhead: (text: string) => void
  /** Called when the user confirmed the clock. */
  onClockConfirmed: () => void
}

/** Events of one sweep that share one sync; few enough for one message of the feed. */
const eventsAtOnce = 100

const whatIsLost = 'The settings of retention can’t be read, so nothing was removed.'
const howToSetAgain =
  'Correct the file and name it settings.json, or save Retention in Settings. Then clean up again.'

export async function createRetention(deps: RetentionDependencies): Promise<Retention> {
  const { ledger, layout, clock } = deps
  const { state } = ledger
  const serially = createKeyedMutex()
  const settings = await openSettings(layout.settings, deps.override)
  const receipts = createReceipts(layout.receipts)
  const ending = new AbortController()
  const expiry = createExpiry({ ...deps, signal: ending.signal })
  const sizes = createSizes({ ...deps, signal: ending.signal })
  const trash = createTrashBin({ ...deps, expiry })
  const clockGuard = createClockGuard(deps)

  /** Runs one sweep or roll-forward at a time. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => serially('retention', work)

  /** Measures only the sizes that the plan needs: all for a limit in bytes, else those of the selected transcripts. */
  async function planWithSizes(wanted: RetentionSettings, nowMs: number) {
    const chosen =
      wanted.bytesMax === null
        ? planSweep(state, new Map(), wanted, nowMs).remove
        : keptTranscripts(state)
    return planSweep(state, await sizes.of(chosen.map(({ id }) => id)), wanted, nowMs)
  }

  async function plan(wanted: RetentionSettings) {
    const nowMs = clock()
    const { remove, kept } = await planWithSizes(wanted, nowMs)
    const planned = await trash.plan(wanted)
    const transcripts = remove.map((one) => ({ ...one, ...describe(one.id) }))
    return {
      nowMs,
      kept,
      transcripts,
      planned,
      removed: [...transcripts, ...planned.map(trash.itemOf)],
    }
  }

  async function preview(wanted = settings.current()): Promise<SweepPreview> {
    const { removed, kept } = await plan(wanted)
    return { dryRun: true, removed, kept, receipt: null, clockAhead: clockGuard.ahead() }
  }

  async function sweepNow(by: 'start' | 'person', wanted: RetentionSettings): Promise<Sweep> {
    await expiry.rollForward()
    const { nowMs, removed, transcripts, planned, kept } = await plan(wanted)
    const nothing: Sweep = { dryRun: false, removed: [], kept, receipt: null }
    if (removed.length === 0 || ending.signal.aborted) return nothing
    const id = newReceiptId()
    await receipts.write({ id, atMs: nowMs, by, settings: wanted, items: removed })
    const keptUntil = nowMs + wanted.trashTtlDays * dayMs
    const gone = new Set<string>()
    for (let from = 0; from < transcripts.length && !ending.signal.aborted; from += eventsAtOnce) {
      const chosen = transcripts.slice(from, from + eventsAtOnce).map((item) => item.id)
      for (const one of await expire(chosen, id, keptUntil)) gone.add(one)
    }
    for (const one of await purge(planned, id)) gone.add(one)
    await ledger.record({ type: 'retention.swept', receiptId: id })
    const done = removed.filter((item) => gone.has(item.id))
    const stayed = transcripts.filter((item) => !gone.has(item.id)).length
    return { dryRun: false, removed: done, kept: kept + stayed, receipt: id }
  }

  /** Resolves with the expired transcripts. */
  async function expire(
    ids: TaskId[],
    receiptId: ReceiptId,
    keptUntil: number,
    said: { asked?: true } = {},
  ): Promise<TaskId[]> {
    // Checked and appended without a pause in between, because a transcript that was pinned or resumed since must stay.
    const safe = protectedTasks(state)
    const whyKept = keptReasons(state)
    const chosen = ids.filter((id) => (said.asked ? whyKept(id) === null : !safe.has(id)))
    if (chosen.length === 0) return []
    await ledger.record(
      ...chosen.map(
        (taskId): LedgerEvent => ({
          ...{ type: 'transcript.expired', taskId, receiptId, keptUntil },
          ...said,
        }),
      ),
    )
    const gone: TaskId[] = []
    for (const taskId of chosen) {
      // The rest is reported, and the next start completes it.
      if (ending.signal.aborted) break
      if (await expiry.carryOut(taskId)) gone.push(taskId)
    }
    return gone
  }

  async function deleteTranscripts(taskIds: TaskId[]): Promise<DeletedTranscripts> {
    const ids = [...new Set(taskIds)]
    const whyKept = keptReasons(state)
    const reasons = new Map(ids.map((id) => [id, whyKept(id)]))
    const chosen = ids.filter((id) => reasons.get(id) === null)
    const receipt = chosen.length > 0 ? newReceiptId() : null
    const gone = new Set<TaskId>()
    if (receipt) {
      const nowMs = clock()
      const wanted = settings.current()
      const bytes = await sizes.of(chosen)
      const items = chosen.map(
        (id): RemovedItem => ({
          ...{ id, kind: 'transcript', reason: 'asked', bytes: bytes.get(id) ?? 0 },
          ...describe(id),
        }),
      )
      await receipts.write({ id: receipt, atMs: nowMs, by: 'person', settings: wanted, items })
      const keptUntil = nowMs + wanted.trashTtlDays * dayMs
      for (const id of await expire(chosen, receipt, keptUntil, { asked: true })) gone.add(id)
      await ledger.record({ type: 'retention.swept', receiptId: receipt })
    }
    const left = ids
      .filter((id) => !gone.has(id))
      .map((id) => ({ id, why: reasons.get(id) ?? whyNotMoved(id) }))
    return { deleted: [...gone], left, receipt: gone.size > 0 ? receipt : null }
  }

  /** The reason why a transcript that could be deleted at the time of the request was not moved. */
  function whyNotMoved(id: TaskId): string {
    const expired = state.tasks.get(id)?.transcriptExpired
    if (!expired) return keptReasons(state)(id) ?? 'It could not be moved to the trash.'
    return ending.signal.aborted
      ? 'Shiplog was closed before it was moved: the next start moves it to the trash.'
      : 'It could not be moved to the trash: the next start tries again.'
  }

  function describe(id: TaskId): Pick<RemovedItem, 'title' | 'lastActiveAt'> {
    const task = state.tasks.get(id)
    const lastActiveAt = task ? new Date(lastActivityMs(task)).toISOString() : null
    return { title: task?.title ?? '', lastActiveAt }
  }

  async function purge(planned: PlannedPurge[], receiptId: ReceiptId): Promise<Set<string>> {
    const gone = new Set<string>()
    for (const one of planned) {
      if (ending.signal.aborted) break
      if (await trash.deleteForGood(one, receiptId)) gone.add(trash.itemOf(one).id)
    }
    return gone
  }

  /** Deletes from the trash only. The receipt is written first, as for a sweep. */
  async function purgeNow(planned: PlannedPurge[], by: SweptBy): Promise<Sweep> {
    const items = planned.map(trash.itemOf)
    if (items.length === 0) return { dryRun: false, removed: [], kept: 0, receipt: null }
    const id = newReceiptId()
    await receipts.write({ id, atMs: clock(), by, settings: settings.current(), items })
    const gone = await purge(planned, id)
    await ledger.record({ type: 'retention.swept', receiptId: id })
    const removed = items.filter((item) => gone.has(item.id))
    return { dryRun: false, removed, kept: 0, receipt: id }
  }

  /**
   * Enforces the limit of the trash between two sweeps, so that a host that runs for weeks does not fill the disk with
   * worktrees.
   */
  async function keepBudget(): Promise<void> {
    budgetAsked = false
    if (ending.signal.aborted || settings.lost() !== null || !clockGuard.isTrusted()) return
    const planned = (await trash.plan(settings.current())).filter(
      ({ reason }) => reason === 'trash-bytes',
    )
    const done = await purgeNow(planned, 'budget')
    if (done.receipt) deps.onSwept(done)
  }

  let budgetAsked = false
  const unsubscribe = ledger.subscribe((records) => {
    if (budgetAsked || !records.some(({ event }) => event.type === 'workspace.leftovers-kept'))
      return
    budgetAsked = true
    void alone(keepBudget).catch((error) =>
      deps.onProblem('The size of the trash could not be checked', error),
    )
  })

  async function summaries() {
    const { receipts: all, unreadable } = await receipts.list()
    const inTrash = new Set(await namesInTrash(layout.trash))
    return { all: all.map((one) => withStates(one, state, inTrash)), unreadable }
  }

  /** Returns the reason for each expired transcript, from the receipts that the ledger refers to. */
  async function expiryReasons(): Promise<Map<TaskId, RemovalReason>> {
    const { receipts: all } = await receipts.list()
    const reasons = new Map<TaskId, RemovalReason>()
    for (const { id, items } of all) {
      for (const item of items) {
        const taskId = item.kind === 'transcript' ? parseTaskId(item.id) : null
        if (taskId && state.tasks.get(taskId)?.transcriptExpired?.receiptId === id)
          reasons.set(taskId, item.reason)
      }
    }
    return reasons
  }

  async function receipt(text: string): Promise<ReceiptSummary & { items: ReceiptItem[] }> {
    const { all } = await summaries()
    const id = await receiptIdOf(text)
    const found = all.find((one) => one.id === id)
    const file = `receipts/${id}.json`
    const reason = 'it is missing, or not a receipt'
    if (!found) throw new FailureError({ kind: 'damaged', what: 'receipt', id, file, reason })
    return found
  }

  /** Also resolves receipts that only the ledger refers to, because their files may be damaged. */
  async function receiptIdOf(text: string): Promise<ReceiptId> {
    const ids = new Set((await receipts.list()).receipts.map((one) => one.id))
    for (const { transcriptExpired } of state.tasks.values())
      if (transcriptExpired) ids.add(transcriptExpired.receiptId)
    const found = resolveId(text, ids)
    const what = 'receipt'
    if (found.kind === 'found') return found.id
    if (found.kind === 'not-found') throw new FailureError({ kind: 'not-found', what, id: text })
    throw new FailureError({ kind: 'ambiguous', what, id: text, candidates: found.candidates })
  }

  async function undo(text: string, only?: TaskId): ReturnType<Retention['undo']> {
    const id = await receiptIdOf(text)
    // From the ledger: a receipt's file may be damaged.
    const wanted = [...state.tasks.values()]
      .filter(({ id: taskId, transcriptExpired: expired }) => {
        const isInTrash = expired?.receiptId === id && expired.purgedAt === null
        return isInTrash && (only === undefined || taskId === only)
      })
      .map((task) => task.id)
    if (wanted.length === 0) {
      const found = (await summaries()).all.find((one) => one.id === id)
      const ended = found && whatBecameOf(found)
      refused(
        'nothing-to-undo',
        `Nothing of this is in the trash any more${ended ? ` (${ended})` : ''}.`,
      )
    }
    const restored: TaskId[] = []
    const left: { id: TaskId; why: string }[] = []
    for (const taskId of wanted) {
      const why = await expiry.takeBack(taskId)
      if (why === null) restored.push(taskId)
      else left.push({ id: taskId, why })
    }
    if (restored.length === 0) refused('nothing-to-undo', left[0]?.why ?? '')
    deps.onUndone(id)
    return { restored, left }
  }

  async function restore(taskId: TaskId): Promise<RestoredWorkspaces> {
    const task = state.tasks.get(taskId)
    const { transcriptExpired: expired } = task ?? {}
    if (task?.parentId === null && task.archived && expired && !expired.purgedAt) {
      if (task.trashed) await deps.workspaces.untrash(taskId)
      const why = await expiry.takeBack(taskId)
      if (why !== null)
        deps.onProblem(`"${task.title}" is restored without its transcript`, new Error(why))
    }
    return deps.workspaces.restore(taskId)
  }

  function whyNotDeleted(name: string): string {
    const { kind, taskId } = whatIs(name, state)
    const task = taskId ? state.tasks.get(taskId) : undefined
    if (task && isPinned(state.tasks, task)) return `"${task.title}" is pinned: unpin it first.`
    return kind === 'gone' || kind === 'not-trash'
      ? 'It is not in the trash any more.'
      : 'It could not be deleted.'
  }

  async function atStart(sweep: boolean): Promise<void> {
    await alone(expiry.rollForward)
    const lost = settings.lost()
    if (lost !== null) deps.onSettingsLost(lost)
    else if (sweep && !ending.signal.aborted && clockGuard.isTrusted()) {
      const done = await alone(() => sweepNow('start', settings.current()))
      if (done.receipt) deps.onSwept(done)
    }
  }

  return {
    settings: settings.current,
    async setSettings(wanted) {
      await settings.save(wanted)
      return settings.current()
    },
    preview,
    async sweep({ transcriptTtlDays, clockIsRight = false } = {}) {
      const lost = settings.lost()
      if (lost !== null) refused('settings-lost', `${whatIsLost} ${lost} ${howToSetAgain}`)
      await clockGuard.confirm(clockIsRight)
      const wanted = { ...settings.current() }
      if (transcriptTtlDays !== undefined) wanted.transcriptTtlDays = transcriptTtlDays
      return alone(() => sweepNow('person', wanted))
    },
    async receipts() {
      const { all, unreadable } = await summaries()
      return { receipts: all.map(({ items: _, ...summary }) => summary), unreadable }
    },
    async trash() {
      const wanted = settings.current()
      const entries = await trash.list(wanted, await expiryReasons())
      const bytes = entries.reduce((sum, one) => sum + one.bytes, 0)
      return { entries, bytes, bytesMax: wanted.trashBytesMax, dir: layout.trash }
    },
    trashFolderOf: trash.folderOf,
    async restoreTrashed(names) {
      const restored: string[] = []
      const left: { name: string; why: string }[] = []
      for (const name of names) {
        const { taskId } = whatIs(name, state)
        const receiptId = taskId && state.tasks.get(taskId)?.transcriptExpired?.receiptId
        const why = await trash.restore(name)
        if (why !== null) left.push({ name, why })
        else restored.push(name)
        if (why === null && receiptId) deps.onUndone(receiptId)
      }
      return { restored, left }
    },
    deleteTrashed: (names) =>
      alone(async () => {
        const planned = await trash.chosen(names, settings.current())
        const { removed } = await purgeNow(planned, 'person')
        const gone = new Set(removed.map(({ id }) => id))
        const deleted = planned.filter((one) => gone.has(trash.itemOf(one).id))
        const done = new Set(deleted.map(({ name }) => name))
        const left = names
          .filter((name) => !done.has(name))
          .map((name) => ({ name, why: whyNotDeleted(name) }))
        return { deleted: [...done], left }
      }),
    deleteTranscripts: (taskIds) => alone(() => deleteTranscripts(taskIds)),
    receipt,
    undo,
    restore,
    async pin(taskId, pinned) {
      if (!state.tasks.has(taskId))
        throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
      if (state.tasks.get(taskId)?.pinned === pinned) return
      await ledger.record({ type: pinned ? 'task.pinned' : 'task.unpinned', taskId })
    },
    begin({ sweep }) {
      // Queued at once, so that `settled` waits for it, but started after the start has returned.
      void serially('start', async () => {
        await new Promise((resolve) => setImmediate(resolve))
        if (!ending.signal.aborted) await atStart(sweep)
      }).catch((error) => deps.onProblem('The clean-up at start could not be done', error))
    },
    settled: serially.settled,
    async close() {
      unsubscribe()
      ending.abort()
      await serially.settled()
    },
  }
}
