/**
 * Retention of transcripts (X): sweeps at start and on demand, their receipts, and restoring. `plan.ts` and `trash.ts`
 * select the items, `sweep.ts` removes them; FORMAT.md specifies the order of durable writes.
 */

import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import type {
  ReceiptItem,
  ReceiptSummary,
  RetentionSettings,
  Sweep,
  SweepPreview,
  TrashEntry,
} from '../../shared/contract/retention.ts'
import { FailureError, refused } from '../../shared/failure.ts'
import type { ReceiptId, TaskId } from '../../shared/records/ids.ts'
import { receiptOutcomeText } from '../../shared/text/receipt-text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { RestoredWorkspaces } from '../workspaces/archived/restore.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { createClockGuard } from './clock-guard.ts'
import { createExpiry } from './expiry.ts'
import { isPinned } from './plan.ts'
import { createReceiptLookup } from './receipt-lookup.ts'
import { createReceipts } from './receipts.ts'
import { openSettings } from './settings.ts'
import { createSizes } from './sizes.ts'
import { createSweeper, type DeletedTranscripts } from './sweep.ts'
import { whatIs } from './trash.ts'
import { createTrashBin } from './trash-bin.ts'

export interface Retention {
  settings(): RetentionSettings
  setSettings(settings: RetentionSettings): Promise<RetentionSettings>
  /** Returns the items that a sweep would remove now. Changes only the cache of the trash. */
  preview(settings?: RetentionSettings): Promise<SweepPreview>
  /**
   * Moves expired transcripts to the trash, and deletes items that have been in the trash for long enough (X3). Uses
   * the settings, overridden by the given ones. Refuses after the clock jumped ahead, unless `clockIsRight`, which also
   * deletes what would else wait for a second look.
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

const settingsUnreadable = 'The settings of retention can’t be read, so nothing was removed.'
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
  const lookup = createReceiptLookup({ state, layout, receipts })
  const { preview, sweepNow, deleteTranscripts, purgeNow } = createSweeper({
    ledger,
    clock,
    settings,
    receipts,
    expiry,
    sizes,
    trash,
    clockGuard,
    signal: ending.signal,
  })

  /** Runs one sweep or roll-forward at a time. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => serially('retention', work)

  /**
   * Enforces the limit of the trash between two sweeps, so that a host that runs for weeks does not fill the disk with
   * worktrees.
   */
  async function keepBudget(): Promise<void> {
    budgetAsked = false
    if (ending.signal.aborted || settings.lost() !== null || !clockGuard.isTrusted()) return
    const planned = (await trash.plan(settings.current(), { remember: true })).filter(
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

  async function undo(text: string, only?: TaskId): ReturnType<Retention['undo']> {
    const id = await lookup.receiptIdOf(text)
    // From the ledger: a receipt's file may be damaged.
    const wanted = [...state.tasks.values()]
      .filter(({ id: taskId, transcriptExpired: expired }) => {
        const isInTrash = expired?.receiptId === id && expired.purgedAt === null
        return isInTrash && (only === undefined || taskId === only)
      })
      .map((task) => task.id)
    if (wanted.length === 0) {
      const found = (await lookup.summaries()).all.find((one) => one.id === id)
      const ended = found && receiptOutcomeText(found)
      refused(
        'nothing-to-undo',
        `Nothing of this is in the trash any more${ended ? ` (${ended})` : ''}.`,
      )
    }
    const restored: TaskId[] = []
    const left: { id: TaskId; why: string }[] = []
    for (const taskId of wanted) {
      const why = await expiry.restoreTranscript(taskId)
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
      const why = await expiry.restoreTranscript(taskId)
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
      const done = await alone(() => sweepNow('start', settings.current(), { dateIsRight: false }))
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
      if (lost !== null) refused('settings-lost', `${settingsUnreadable} ${lost} ${howToSetAgain}`)
      await clockGuard.confirm(clockIsRight)
      const wanted = { ...settings.current() }
      if (transcriptTtlDays !== undefined) wanted.transcriptTtlDays = transcriptTtlDays
      return alone(() => sweepNow('person', wanted, { dateIsRight: clockIsRight }))
    },
    async receipts() {
      const { all, unreadable } = await lookup.summaries()
      return { receipts: all.map(({ items: _, ...summary }) => summary), unreadable }
    },
    async trash() {
      const wanted = settings.current()
      const entries = await trash.list(wanted, await lookup.expiryReasons())
      const bytes = totalBytes(entries)
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
    receipt: lookup.receipt,
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
