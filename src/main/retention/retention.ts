/**
 * How long transcripts are kept (X): sweeps at start and on demand, their receipts, and taking things
 * back. What goes is decided in `plan.ts` and `trash.ts`; what is durable when, is in FORMAT.md.
 */
import { join } from 'node:path'
import type {
  ReceiptItem,
  ReceiptSummary,
  RemovedItem,
  RetentionSettings,
  Sweep,
} from '../../shared/contract/retention.ts'
import { FailureError, refused } from '../../shared/failure.ts'
import { newReceiptId, type ReceiptId, resolveId, type TaskId } from '../../shared/ids.ts'
import type { LedgerEvent } from '../../shared/ledger.ts'
import { createSerially } from '../../shared/serially.ts'
import { bytesBelow } from '../artifacts/index.ts'
import { removeDurable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { createExpiry } from './expiry.ts'
import { dayMs, keptTranscripts, lastActivityMs, planSweep, protectedTasks } from './plan.ts'
import { createReceipts, withStates } from './receipts.ts'
import { openSettings } from './settings.ts'
import { createSizes } from './sizes.ts'
import { namesInTrash } from '../sessions/trash-names.ts'
import { lookAtTrash, type PlannedPurge, planPurge, whatIs } from './trash.ts'

export interface Retention {
  settings(): RetentionSettings
  setSettings(settings: RetentionSettings): Promise<RetentionSettings>
  /** What a sweep would remove now. Changes nothing but what is remembered of the trash. */
  preview(settings?: RetentionSettings): Promise<Sweep>
  /** Moves to the trash what is to go, and deletes what has been in the trash for long enough (X3). */
  /** With the settings as they are, but for `only`. */
  sweep(
    by?: 'start' | 'person',
    only?: Partial<Pick<RetentionSettings, 'transcriptTtlDays'>>,
  ): Promise<Sweep>
  receipts(): Promise<{ receipts: ReceiptSummary[]; unreadable: string[] }>
  /** By id or unique prefix. Throws FailureError. */
  receipt(receiptId: string): Promise<ReceiptSummary & { items: ReceiptItem[] }>
  /** Takes transcripts back to where they were. Throws FailureError when none can be. */
  undo(
    receiptId: string,
    taskId?: TaskId,
  ): Promise<{ restored: TaskId[]; left: { id: TaskId; why: string }[] }>
  /** Takes a removed root out of the archive or the trash, and first its transcript: a follow-up goes on with it. */
  restore(taskId: TaskId): Promise<void>
  pin(taskId: TaskId, pinned: boolean): Promise<void>
  /**
   * Ends in the background what an earlier process began, then sweeps unless `sweep` is false. Nobody
   * waits for it; `settled` does.
   */
  begin(options: { sweep: boolean }): void
  settled(): Promise<void>
  /** Stops after the transcript at hand; the next start goes on. */
  close(): Promise<void>
}

interface RetentionDependencies {
  ledger: Ledger
  layout: DataLayout
  workspaces: WorkspaceService
  clock: () => number
  onProblem: (text: string, error: unknown) => void
  /** What the sweep at start removed. */
  onSwept: (sweep: Sweep) => void
  /** A receipt was undone, whole or in part. */
  onUndone: (receiptId: ReceiptId) => void
  /** Settings that count instead of those in the file. */
  override?: Partial<RetentionSettings>
  /** The settings can't be read: said once, since nothing goes by itself until they are set again. */
  onSettingsLost: (detail: string) => void
}

/** Events of one sweep that are durable with one sync; small enough for one message of the feed. */
const eventsAtOnce = 100

const whatIsLost = 'The settings of retention can’t be read, so nothing was removed.'
const howToSetAgain =
  'Put it right under the name settings.json, or save Retention in Settings, and clean up then.'

export async function createRetention(deps: RetentionDependencies): Promise<Retention> {
  const { ledger, layout, clock } = deps
  const { state } = ledger
  const serially = createSerially()
  const settings = await openSettings(layout.settings, deps.override)
  const receipts = createReceipts(layout.receipts)
  const ending = new AbortController()
  const expiry = createExpiry({ ...deps, signal: ending.signal })
  const sizes = createSizes({ ...deps, signal: ending.signal })

  /** One sweep or roll-forward at a time. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => serially('retention', work)

  /** Measured is only what the plan needs: everything for a budget of bytes, else what goes. */
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
    const names = await namesInTrash(layout.trash)
    const seen = await lookAtTrash(layout.trashSeen, names, nowMs)
    const purge = planPurge(names, state, seen, wanted.trashTtlDays, nowMs)
    const transcripts = remove.map((one): RemovedItem & { id: TaskId } => {
      const task = state.tasks.get(one.id)
      const lastActiveAt = task ? new Date(lastActivityMs(task)).toISOString() : null
      return { ...one, title: task?.title ?? '', lastActiveAt }
    })
    const deleted: RemovedItem[] = []
    for (const one of purge) deleted.push(await deletedItem(one))
    return { nowMs, kept, transcripts, purge, removed: [...transcripts, ...deleted] }
  }

  async function deletedItem({ name, kind, taskId, sinceMs }: PlannedPurge): Promise<RemovedItem> {
    return {
      id: taskId ?? name,
      kind,
      reason: 'trash',
      bytes: await bytesBelow(join(layout.trash, name)),
      title: (taskId && state.tasks.get(taskId)?.title) || name,
      lastActiveAt: new Date(sinceMs).toISOString(),
    }
  }

  async function preview(wanted = settings.current()): Promise<Sweep> {
    const { removed, kept } = await plan(wanted)
    return { dryRun: true, removed, kept, receipt: null }
  }

  async function sweepNow(by: 'start' | 'person', wanted: RetentionSettings): Promise<Sweep> {
    await expiry.rollForward()
    const { nowMs, removed, transcripts, purge, kept } = await plan(wanted)
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
    for (const one of purge) {
      if (ending.signal.aborted) break
      if (await deleteForGood(one, id)) gone.add(one.taskId ?? one.name)
    }
    await ledger.record({ type: 'retention.swept', receiptId: id })
    const done = removed.filter((item) => gone.has(item.id))
    const stayed = transcripts.filter((item) => !gone.has(item.id)).length
    return { dryRun: false, removed: done, kept: kept + stayed, receipt: id }
  }

  /** Resolves with those that went. */
  async function expire(ids: TaskId[], receiptId: ReceiptId, keptUntil: number): Promise<TaskId[]> {
    // Asked and appended without a pause in between: what was pinned or resumed meanwhile stays.
    const safe = protectedTasks(state)
    const chosen = ids.filter((id) => !safe.has(id))
    if (chosen.length === 0) return []
    await ledger.record(
      ...chosen.map(
        (taskId): LedgerEvent => ({ type: 'transcript.expired', taskId, receiptId, keptUntil }),
      ),
    )
    const gone: TaskId[] = []
    for (const taskId of chosen) {
      // What is left is said, and the next start carries it out.
      if (ending.signal.aborted) break
      if (await expiry.carryOut(taskId)) gone.push(taskId)
    }
    return gone
  }

  /** Said first: what is half deleted must never be taken back for whole. */
  async function deleteForGood(
    { name, kind, taskId }: PlannedPurge,
    receiptId: ReceiptId,
  ): Promise<boolean> {
    try {
      if (taskId && !(await saidGone(name, kind, taskId, receiptId))) return false
      await removeDurable(join(layout.trash, name))
      return true
    } catch (error) {
      deps.onProblem(`${name} could not be deleted from the trash`, error)
      return false
    }
  }

  /** False: it was taken back in the meantime. */
  const saidGone = (
    name: string,
    kind: PlannedPurge['kind'],
    taskId: TaskId,
    receiptId: ReceiptId,
  ): Promise<boolean> =>
    expiry.exclusively(taskId, async () => {
      if (whatIs(name, state).kind !== kind) return false
      await ledger.record(
        kind === 'trashed-transcript'
          ? { type: 'transcript.purged', taskId, receiptId }
          : { type: 'workspace.purged', workspaceId: taskId, receiptId },
      )
      return true
    })

  async function summaries() {
    const { receipts: all, unreadable } = await receipts.list()
    return { all: all.map((one) => withStates(one, state)), unreadable }
  }

  async function receipt(text: string): Promise<ReceiptSummary & { items: ReceiptItem[] }> {
    const { all } = await summaries()
    const id = await receiptIdOf(text)
    const found = all.find((one) => one.id === id)
    const file = `receipts/${id}.json`
    const reason = 'it is not there, or is no receipt'
    if (!found) throw new FailureError({ kind: 'damaged', what: 'receipt', id, file, reason })
    return found
  }

  /** Those that the ledger names count too: their file may be damaged. */
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
    // As the ledger has it: a receipt's file may be damaged.
    const wanted = [...state.tasks.values()]
      .filter(({ id: taskId, transcriptExpired: expired }) => {
        const isInTrash = expired?.receiptId === id && expired.purgedAt === null
        return isInTrash && (only === undefined || taskId === only)
      })
      .map((task) => task.id)
    if (wanted.length === 0) {
      refused(
        'nothing-to-undo',
        'Nothing of this is in the trash any more: it was taken back, or its time there is over.',
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

  async function restore(taskId: TaskId): Promise<void> {
    const task = state.tasks.get(taskId)
    const { transcriptExpired: expired } = task ?? {}
    if (task?.parentId === null && task.archived && expired && !expired.purgedAt) {
      if (task.trashed) await deps.workspaces.untrash(taskId)
      const why = await expiry.takeBack(taskId)
      if (why !== null)
        deps.onProblem(`"${task.title}" is restored without its transcript`, new Error(why))
    }
    await deps.workspaces.restore(taskId)
  }

  async function atStart(sweep: boolean): Promise<void> {
    await alone(expiry.rollForward)
    const lost = settings.lost()
    if (lost !== null) deps.onSettingsLost(lost)
    else if (sweep && !ending.signal.aborted) {
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
    async sweep(by = 'person', { transcriptTtlDays } = {}) {
      const lost = settings.lost()
      if (lost !== null) refused('settings-lost', `${whatIsLost} ${lost} ${howToSetAgain}`)
      const wanted = { ...settings.current() }
      if (transcriptTtlDays !== undefined) wanted.transcriptTtlDays = transcriptTtlDays
      return alone(() => sweepNow(by, wanted))
    },
    async receipts() {
      const { all, unreadable } = await summaries()
      return { receipts: all.map(({ items: _, ...summary }) => summary), unreadable }
    },
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
      // Registered at once, so that `settled` waits for it; begun once whoever starts has gone on.
      void serially('start', async () => {
        await new Promise((resolve) => setImmediate(resolve))
        if (!ending.signal.aborted) await atStart(sweep)
      }).catch((error) => deps.onProblem('The clean-up at start could not be done', error))
    },
    settled: serially.settled,
    async close() {
      ending.abort()
      await serially.settled()
    },
  }
}
