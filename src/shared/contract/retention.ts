/** Retention of transcripts: settings, sweeps and their receipts, the trash, and restoring (X). */
import { z } from 'zod'
import { idTextSchema, receiptIdSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

/** Keeps dates within JavaScript's range. */
export const retentionDaysMax = 36_500

const days = z.number().int().max(retentionDaysMax)

export const retentionSettingsSchema = z.object({
  /** Days since its last activity that a finished task's transcript is kept; null: forever (X2). */
  transcriptTtlDays: days.min(0).nullable(),
  /** The maximum number of transcripts of all tasks; null: no limit. */
  transcriptsMax: z.number().int().min(0).nullable(),
  /** The maximum size of all transcripts, in bytes; null: no limit. */
  bytesMax: z.number().int().min(0).nullable(),
  /** Days for which items in the trash can be restored. Applies to items that are moved there later. */
  trashTtlDays: days.min(1),
  /** The maximum size of the trash, in bytes; null: no limit. Deleted transcripts and workspaces always stay for their days (X3). */
  trashBytesMax: z.number().int().min(0).nullable(),
})
export type RetentionSettings = z.infer<typeof retentionSettingsSchema>

/** A month to look something up, and a week to notice a deletion. */
export const retentionDefaults: RetentionSettings = {
  transcriptTtlDays: 30,
  transcriptsMax: null,
  bytesMax: null,
  trashTtlDays: 7,
  // Holds the databases and logs of hundreds of worktrees.
  trashBytesMax: 5_000_000_000,
}

/**
 * `transcript`: moved to the trash. The others are permanently deleted from the trash: `trashed-transcript` and
 * `trashed-workspace` (a deleted root with everything below it) by task, `trashed-worktree` (files left in
 * a removed worktree) and `trashed-file` by their names there.
 */
const removedKindSchema = z.enum([
  'transcript',
  'trashed-transcript',
  'trashed-workspace',
  'trashed-worktree',
  'trashed-file',
])
export type RemovedKind = z.infer<typeof removedKindSchema>

/**
 * `age`: not active for too long; `count`, `bytes`: the oldest beyond the limit; `trash`: its time in the trash is
 * over; `trash-bytes`: the oldest beyond the trash's limit; `asked`: the user deleted it.
 */
const removalReasonSchema = z.enum(['age', 'count', 'bytes', 'trash', 'trash-bytes', 'person'])
export type RemovalReason = z.infer<typeof removalReasonSchema>

export const removedItemSchema = z.object({
  /** A task's id, or a name in the trash. */
  id: z.string(),
  kind: removedKindSchema,
  reason: removalReasonSchema,
  bytes: z.number().int().min(0),
  title: z.string(),
  /** ISO 8601: when it was last active, or moved to the trash; null: unknown. */
  lastActiveAt: z.string().nullable(),
})
export type RemovedItem = z.infer<typeof removedItemSchema>

const sweepSchema = z.object({
  dryRun: z.boolean(),
  removed: z.array(removedItemSchema),
  /** The number of transcripts that are kept. */
  kept: z.number().int().min(0),
  /** Null if nothing was removed. */
  receipt: receiptIdSchema.nullable(),
})
export type Sweep = z.infer<typeof sweepSchema>

/**
 * The clock is weeks past the newest record: either Shiplog was not used for that time, or the clock is wrong, and
 * everything would seem old. A sweep then requires the user's confirmation (`clockIsRight`).
 */
const clockAheadSchema = z.object({
  /** Whole days between that record and now. */
  days: z.number().int(),
  /** ISO 8601. */
  newestAt: z.string(),
})
export type ClockAhead = z.infer<typeof clockAheadSchema>

const sweepPreviewSchema = sweepSchema.extend({ clockAhead: clockAheadSchema.nullable() })
export type SweepPreview = z.infer<typeof sweepPreviewSchema>

/** `in-trash`: can be restored; `restored`: was restored; `kept`: was never moved to the trash; `gone`: permanently deleted. */
const receiptItemSchema = removedItemSchema.extend({
  state: z.enum(['in-trash', 'restored', 'kept', 'gone']),
})
export type ReceiptItem = z.infer<typeof receiptItemSchema>

/** `start`: the sweep at Shiplog's start; `person`: by the user; `budget`: the trash was full. */
export const sweptBySchema = z.enum(['start', 'person', 'budget'])
export type SweptBy = z.infer<typeof sweptBySchema>

const receiptSummarySchema = z.object({
  id: receiptIdSchema,
  at: z.string(),
  by: sweptBySchema,
  /** The number and bytes of transcripts that were moved to the trash. */
  transcripts: z.number(),
  bytes: z.number(),
  /** The number of them that can still be restored, and the earliest end of that time. */
  inTrash: z.number(),
  keptUntil: z.string().nullable(),
  /** The number of them that were restored, and that were permanently deleted. */
  restored: z.number(),
  gone: z.number(),
  /** The number and bytes of items that were permanently deleted. */
  deleted: z.number(),
  deletedBytes: z.number(),
})
export type ReceiptSummary = z.infer<typeof receiptSummarySchema>

/** An item in the trash. */
const trashEntrySchema = z.object({
  /** In the trash folder; identifies it in the other calls. */
  name: z.string(),
  kind: removedKindSchema.exclude(['transcript']),
  taskId: taskIdSchema.nullable(),
  title: z.string(),
  projectDir: z.string().nullable(),
  /** The number of files, or tasks of a deleted workspace; null: not counted. */
  count: z.number().int().min(0).nullable(),
  bytes: z.number().int().min(0),
  /** Null: unknown, as for files, and for a transcript whose receipt can't be read. */
  reason: removalReasonSchema.nullable(),
  /** ISO 8601. */
  since: z.string(),
  /** When it is deleted, unless the trash is full earlier; null: pinned, so never. */
  until: z.string().nullable(),
  /** Why it can't be restored, as a sentence; null: it can. */
  notRestorable: z.string().nullable(),
  /** Folders that were deleted with a worktree, because a command can create them again. */
  recreatable: z.array(z.object({ path: z.string(), madeBy: z.string() })),
})
export type TrashEntry = z.infer<typeof trashEntrySchema>

const trashNames = z.object({ names: z.array(z.string()).min(1) })
const leftInTrash = z.array(z.object({ name: z.string(), why: z.string() }))

export const retention = {
  /** Newest first. */
  trash: base.output(
    z.object({
      entries: z.array(trashEntrySchema),
      bytes: z.number(),
      bytesMax: z.number().nullable(),
      /** The folder, absolute. */
      dir: z.string(),
    }),
  ),
  /** Opens the folder of one item in the trash, or the trash, in the file manager of the host's machine. */
  openTrash: base.input(z.object({ name: z.string().nullable() })).output(z.object({})),
  /** Restores a transcript to its place, a workspace to the archive, and files of a worktree to that worktree. */
  restoreTrashed: base
    .input(trashNames)
    .output(z.object({ restored: z.array(z.string()), left: leftInTrash })),
  /** Permanently deletes items in the trash, with a receipt. */
  deleteTrashed: base
    .input(trashNames)
    .output(z.object({ deleted: z.array(z.string()), left: leftInTrash })),
  /**
   * Moves transcripts of finished tasks to the trash, with a receipt for `undo`; reports and patches are kept.
   * `left`: those that are in use, pinned, continued by another task, or already gone, and why.
   */
  deleteTranscripts: base.input(z.object({ taskIds: z.array(idTextSchema).min(1) })).output(
    z.object({
      deleted: z.array(taskIdSchema),
      left: z.array(z.object({ id: taskIdSchema, why: z.string() })),
      /** Null if none was moved. */
      receipt: receiptIdSchema.nullable(),
    }),
  ),
  settings: base.output(retentionSettingsSchema),
  setSettings: base.input(retentionSettingsSchema).output(retentionSettingsSchema),
  /** Returns what a sweep would remove now with these settings, or with the current ones. Changes nothing. */
  preview: base
    .input(z.object({ settings: retentionSettingsSchema.optional() }))
    .output(sweepPreviewSchema),
  /**
   * Uses the current settings, except for those given here. REFUSED (`clock-ahead`) while the clock is weeks
   * past the newest record, unless `clockIsRight`: the user's confirmation, which is remembered.
   */
  sweep: base
    .input(
      z
        .object({
          transcriptTtlDays: retentionSettingsSchema.shape.transcriptTtlDays,
          clockIsRight: z.boolean(),
        })
        .partial(),
    )
    .output(sweepSchema),
  /** Lists the receipts, newest first. `unreadable`: receipt files that can't be read; they are kept. */
  receipts: base.output(
    z.object({ receipts: z.array(receiptSummarySchema), unreadable: z.array(z.string()) }),
  ),
  /** Returns what a sweep removed and why. `receiptId` may be a unique prefix. */
  receipt: base
    .input(z.object({ receiptId: idTextSchema }))
    .output(receiptSummarySchema.extend({ items: z.array(receiptItemSchema) })),
  /** Restores all transcripts of a receipt, or that of one task. REFUSED if none can be restored. */
  undo: base.input(z.object({ receiptId: idTextSchema, taskId: idTextSchema.optional() })).output(
    z.object({
      restored: z.array(taskIdSchema),
      left: z.array(z.object({ id: taskIdSchema, why: z.string() })),
    }),
  ),
  /** A sweep never removes the transcripts of a pinned task and of the tasks below it (X1). */
  pin: base.input(z.object({ taskId: idTextSchema, pinned: z.boolean() })).output(z.object({})),
}
