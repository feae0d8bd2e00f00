/** The answers about retention: what a sweep takes is given, everything else behaves as in the app. */
import { keptReasons } from '../../src/main/retention/plan.ts'
import {
  type ReceiptSummary,
  type RemovedItem,
  type RetentionSettings,
  retentionDefaults,
  type Sweep,
  type SweepPreview,
  type TrashEntry,
} from '../../src/shared/contract/retention.ts'
import { FailureError, invalid, refused } from '../../src/shared/failure.ts'
import {
  newReceiptId,
  type ReceiptId,
  resolveId,
  type TaskId,
} from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { clockAheadText } from '../../src/shared/text/clock-ahead-text.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'
import type { FakeRetentionOptions } from './options.ts'

export function retentionAnswers(os: Implementer, { given, state, record, find }: Memory) {
  const retention = createFakeRetention({ ...given.retention, state, record })
  return {
    settings: os.retention.settings.handler(retention.settings),
    setSettings: os.retention.setSettings.handler(({ input }) => retention.setSettings(input)),
    preview: os.retention.preview.handler(({ input }) => retention.preview(input.settings)),
    sweep: os.retention.sweep.handler(({ input }) => retention.sweep(input)),
    trash: os.retention.trash.handler(retention.trash),
    openTrash: os.retention.openTrash.handler(({ input }) => retention.openTrash(input.name)),
    restoreTrashed: os.retention.restoreTrashed.handler(({ input }) =>
      retention.restoreTrashed(input.names),
    ),
    deleteTrashed: os.retention.deleteTrashed.handler(({ input }) =>
      retention.deleteTrashed(input.names),
    ),
    deleteTranscripts: os.retention.deleteTranscripts.handler(({ input }) =>
      retention.deleteTranscripts(input.taskIds.map((id) => find(id).id)),
    ),
    receipts: os.retention.receipts.handler(retention.receipts),
    receipt: os.retention.receipt.handler(({ input }) => retention.receipt(input.receiptId)),
    undo: os.retention.undo.handler(({ input: { receiptId, taskId } }) =>
      retention.undo(receiptId, taskId === undefined ? undefined : find(taskId).id),
    ),
    pin: os.retention.pin.handler(({ input: { taskId, pinned } }) => {
      const task = find(taskId)
      if (task.pinned !== pinned)
        record({ type: pinned ? 'task.pinned' : 'task.unpinned', taskId: task.id })
      return {}
    }),
  }
}

function createFakeRetention(options: FakeRetentionOptions) {
  const { state, record, kept = 0 } = options
  const nowMs = options.nowMs ?? Date.parse('2026-11-21T09:00:00Z')
  let settings = options.settings ?? retentionDefaults
  const receipts = [...(options.receipts ?? [])]
  const items = new Map<ReceiptId, RemovedItem[]>()

  const planned = (wanted: RetentionSettings): RemovedItem[] =>
    (options.plan?.(wanted) ?? []).filter(({ id, kind }) => {
      const task = state.tasks.get(id as TaskId)
      return kind !== 'transcript' || (!task?.transcriptExpired && !task?.pinned)
    })

  let isConfirmed = false
  const ahead = () => (isConfirmed ? null : (options.clockAhead?.() ?? null))

  function sweep(given: Partial<RetentionSettings> & { clockIsRight?: boolean }): Sweep {
    const { clockIsRight, ...input } = given
    const found = ahead()
    if (found && !clockIsRight)
      refused(
        'clock-ahead',
        `${clockAheadText(found)}, so nothing was removed. Is today’s date right?`,
      )
    isConfirmed = true
    const removed = planned({ ...settings, ...input })
    if (removed.length === 0) return { dryRun: false, removed, kept, receipt: null }
    const receiptId = newReceiptId()
    const keptUntil = nowMs + settings.trashTtlDays * 86_400_000
    const swept = removed.filter(({ kind }) => kind === 'transcript')
    items.set(receiptId, removed)
    record(
      ...swept.map(
        ({ id }): LedgerEvent => ({
          type: 'transcript.expired',
          taskId: id as TaskId,
          receiptId,
          keptUntil,
        }),
      ),
      { type: 'retention.swept', receiptId },
    )
    const deleted = removed.filter(({ kind }) => kind !== 'transcript')
    receipts.unshift({
      id: receiptId,
      at: new Date(nowMs).toISOString(),
      by: 'person',
      transcripts: swept.length,
      bytes: bytesOf(swept),
      inTrash: swept.length,
      keptUntil: swept.length > 0 ? new Date(keptUntil).toISOString() : null,
      deleted: deleted.length,
      deletedBytes: bytesOf(deleted),
      restored: 0,
      gone: 0,
    })
    return { dryRun: false, removed, kept, receipt: receiptId }
  }

  function find(text: string): ReceiptSummary {
    const found = resolveId(
      text,
      receipts.map(({ id }) => id),
    )
    const what = 'receipt'
    if (found.kind === 'ambiguous')
      throw new FailureError({ kind: 'ambiguous', what, id: text, candidates: found.candidates })
    const receipt = found.kind === 'found' ? receipts.find(({ id }) => id === found.id) : undefined
    if (!receipt) throw new FailureError({ kind: 'not-found', what, id: text })
    return receipt
  }

  const others = new Map((options.trash ?? []).map((entry) => [entry.name, entry]))
  const deleted = new Set<string>()

  function inTrash(): TrashEntry[] {
    const day = (iso: string, days: number) =>
      new Date(Date.parse(iso) + days * 86_400_000).toISOString()
    const ofTasks = [...state.tasks.values()].flatMap((task): TrashEntry[] => {
      const { id, title, projectDir, trashed, trashedAt, parentId, transcriptExpired } = task
      const common = {
        taskId: id,
        title,
        projectDir,
        count: null,
        bytes: 1_200_000,
        reason: null,
        notRestorable: null,
        recreatable: [],
      }
      if (trashed && trashedAt && parentId === null) {
        const until = day(trashedAt, settings.trashTtlDays)
        const name = `archive-${id}`
        const reason = 'person'
        return [{ ...common, name, kind: 'trashed-workspace', reason, since: trashedAt, until }]
      }
      if (trashed || !transcriptExpired || transcriptExpired.purgedAt) return []
      const { at: since, keptUntil: until, byPerson } = transcriptExpired
      const name = `transcript-${id}`
      return [
        {
          ...common,
          name,
          kind: 'trashed-transcript',
          reason: byPerson ? 'person' : 'age',
          since,
          until,
        },
      ]
    })
    return [...ofTasks, ...others.values()].filter(({ name }) => !deleted.has(name))
  }

  return {
    trash() {
      const entries = inTrash()
      const bytes = entries.reduce((sum, one) => sum + one.bytes, 0)
      return { entries, bytes, bytesMax: settings.trashBytesMax, dir: '/home/ada/shiplog/trash' }
    },
    openTrash(name: string | null) {
      if (name !== null && !inTrash().some((one) => one.name === name))
        invalid('name', `${name} is not in the trash any more.`)
      return {}
    },
    restoreTrashed(names: string[]) {
      for (const { name, kind, taskId } of inTrash().filter((one) => names.includes(one.name))) {
        if (kind === 'trashed-workspace' && taskId)
          record({ type: 'workspace.untrashed', workspaceId: taskId })
        else if (kind === 'trashed-transcript' && taskId)
          record({ type: 'transcript.unexpired', taskId, because: 'person' })
        else others.delete(name)
      }
      return { restored: names, left: [] }
    },
    deleteTrashed(names: string[]) {
      for (const name of names) deleted.add(name)
      return { deleted: names, left: [] }
    },
    deleteTranscripts(taskIds: TaskId[]) {
      const whyKept = keptReasons(state)
      const left = taskIds.flatMap((id) => {
        const why = whyKept(id)
        return why === null ? [] : [{ id, why }]
      })
      const chosen = taskIds.filter((id) => !left.some((one) => one.id === id))
      if (chosen.length === 0) return { deleted: [], left, receipt: null }
      const receiptId = newReceiptId()
      const keptUntil = nowMs + settings.trashTtlDays * 86_400_000
      record(
        ...chosen.map((taskId): LedgerEvent => {
          return { type: 'transcript.expired', taskId, receiptId, keptUntil, byPerson: true }
        }),
        { type: 'retention.swept', receiptId },
      )
      receipts.unshift({
        id: receiptId,
        at: new Date(nowMs).toISOString(),
        by: 'person',
        bytes: 0,
        transcripts: chosen.length,
        inTrash: chosen.length,
        deleted: 0,
        deletedBytes: 0,
        keptUntil: new Date(keptUntil).toISOString(),
        restored: 0,
        gone: 0,
      })
      return { deleted: chosen, left, receipt: receiptId }
    },
    settings: () => settings,
    setSettings(wanted: RetentionSettings) {
      settings = wanted
      return settings
    },
    preview(wanted = settings): SweepPreview {
      return { dryRun: true, removed: planned(wanted), kept, receipt: null, clockAhead: ahead() }
    },
    sweep,
    receipts: () => ({ receipts, unreadable: options.unreadable ?? [] }),
    receipt(text: string) {
      const receipt = find(text)
      const state = receipt.inTrash > 0 ? ('in-trash' as const) : ('restored' as const)
      return {
        ...receipt,
        items: (items.get(receipt.id) ?? []).map((item) => ({ ...item, state })),
      }
    },
    undo(text: string, only?: TaskId) {
      const receipt = find(text)
      const restored = [...state.tasks.values()]
        .filter(({ id, transcriptExpired }) => {
          const isIts = transcriptExpired?.receiptId === receipt.id && !transcriptExpired.purgedAt
          return isIts && (only === undefined || id === only)
        })
        .map(({ id }) => id)
      if (restored.length === 0)
        refused('nothing-to-undo', 'Nothing of this is in the trash any more.')
      record(
        ...restored.map(
          (taskId): LedgerEvent => ({ type: 'transcript.unexpired', taskId, because: 'person' }),
        ),
      )
      const stillIn = restored.length > 0 ? receipt.inTrash - restored.length : 0
      receipts[receipts.indexOf(receipt)] = {
        ...receipt,
        inTrash: stillIn,
        restored: receipt.restored + restored.length,
        keptUntil: stillIn > 0 ? receipt.keptUntil : null,
      }
      return { restored, left: [] }
    },
  }
}

const bytesOf = (items: RemovedItem[]): number => items.reduce((sum, { bytes }) => sum + bytes, 0)
