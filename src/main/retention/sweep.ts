/**
 * Removes items in a sweep or at the user's request. Each operation writes its receipt before it moves anything (X3).
 * The caller runs one operation at a time.
 */
import type {
  RemovedItem,
  RetentionSettings,
  Sweep,
  SweepPreview,
  SweptBy,
} from '../../shared/contract/retention.ts'
import { dayMs } from '../../shared/durations.ts'
import { newReceiptId, type ReceiptId, type TaskId } from '../../shared/records/ids.ts'
import type { LedgerEvent } from '../../shared/records/ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ClockGuard } from './clock-guard.ts'
import type { Expiry } from './expiry.ts'
import { keptReasons, keptTranscripts, lastActivityMs, planSweep, protectedTasks } from './plan.ts'
import type { Receipts } from './receipts.ts'
import type { SettingsStore } from './settings.ts'
import type { Sizes } from './sizes.ts'
import type { PlannedPurge } from './trash.ts'
import type { TrashBin } from './trash-bin.ts'

export interface DeletedTranscripts {
  deleted: TaskId[]
  left: { id: TaskId; why: string }[]
  /** Null if none could be deleted. */
  receipt: ReceiptId | null
}

interface SweeperDependencies {
  ledger: Ledger
  clock: () => number
  settings: SettingsStore
  receipts: Receipts
  expiry: Expiry
  sizes: Sizes
  trash: TrashBin
  clockGuard: ClockGuard
  /** Once aborted, stops after the current transcript. */
  signal: AbortSignal
}

/** Events of one sweep that share one sync; few enough for one message of the feed. */
const eventsAtOnce = 100

export function createSweeper(deps: SweeperDependencies) {
  const { ledger, clock, settings, receipts, expiry, sizes, trash, clockGuard, signal } = deps
  const { state } = ledger

  /** Measures only the sizes that the plan needs: all for a limit in bytes, else those of the selected transcripts. */
  async function planWithSizes(wanted: RetentionSettings, nowMs: number) {
    const chosen =
      wanted.bytesMax === null
        ? planSweep(state, new Map(), wanted, nowMs).remove
        : keptTranscripts(state)
    return planSweep(state, await sizes.of(chosen.map(({ id }) => id)), wanted, nowMs)
  }

  async function plan(
    wanted: RetentionSettings,
    look: { remember: boolean; dateIsRight: boolean },
  ) {
    const nowMs = clock()
    const { remove, kept } = await planWithSizes(wanted, nowMs)
    const planned = await trash.plan(wanted, look)
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
    const clockAhead = clockGuard.ahead()
    // After a jump a sweep needs the confirmation of the date, which makes a second look unnecessary.
    const dateIsRight = clockAhead !== null
    const { removed, kept } = await plan(wanted, { remember: false, dateIsRight })
    return { dryRun: true, removed, kept, receipt: null, clockAhead }
  }

  async function sweepNow(
    by: 'start' | 'person',
    wanted: RetentionSettings,
    { dateIsRight }: { dateIsRight: boolean },
  ): Promise<Sweep> {
    await expiry.rollForward()
    const { nowMs, removed, transcripts, planned, kept } = await plan(wanted, {
      remember: true,
      dateIsRight,
    })
    const nothing: Sweep = { dryRun: false, removed: [], kept, receipt: null }
    if (removed.length === 0 || signal.aborted) return nothing
    const id = newReceiptId()
    await receipts.write({ id, atMs: nowMs, by, settings: wanted, items: removed })
    const keptUntil = nowMs + wanted.trashTtlDays * dayMs
    const gone = new Set<string>()
    for (let from = 0; from < transcripts.length && !signal.aborted; from += eventsAtOnce) {
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
    said: { byPerson?: true } = {},
  ): Promise<TaskId[]> {
    // Checked and appended without a pause in between, because a transcript that was pinned or resumed since must stay.
    const safe = protectedTasks(state)
    const whyKept = keptReasons(state)
    const chosen = ids.filter((id) => (said.byPerson ? whyKept(id) === null : !safe.has(id)))
    if (chosen.length === 0) return []
    await ledger.record(
      ...chosen.map(
        (taskId): LedgerEvent => ({
          type: 'transcript.expired',
          taskId,
          receiptId,
          keptUntil,
          ...said,
        }),
      ),
    )
    const gone: TaskId[] = []
    for (const taskId of chosen) {
      // The rest is reported, and the next start completes it.
      if (signal.aborted) break
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
          id,
          kind: 'transcript',
          reason: 'person',
          bytes: bytes.get(id) ?? 0,
          ...describe(id),
        }),
      )
      await receipts.write({ id: receipt, atMs: nowMs, by: 'person', settings: wanted, items })
      const keptUntil = nowMs + wanted.trashTtlDays * dayMs
      for (const id of await expire(chosen, receipt, keptUntil, { byPerson: true })) gone.add(id)
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
    return signal.aborted
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
      if (signal.aborted) break
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

  return { preview, sweepNow, deleteTranscripts, purgeNow }
}
