/** How long transcripts are kept, what a sweep moves to the trash, its receipts, and restoring (X). */
import { z } from 'zod'
import { idTextSchema, receiptIdSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

/** Longer than anyone plans for; keeps dates within JavaScript's range. */
export const retentionDaysMax = 36_500

const days = z.number().int().max(retentionDaysMax)

export const retentionSettingsSchema = z.object({
  /** Days since its last activity that a finished task's transcript is kept; null: forever (X2). */
  transcriptTtlDays: days.min(0).nullable(),
  /** Transcripts kept at most, of all tasks; null: any number. */
  transcriptsMax: z.number().int().min(0).nullable(),
  /** Bytes of all transcripts at most; null: any number. */
  bytesMax: z.number().int().min(0).nullable(),
  /** Days that something stays in the trash, where it can be restored. Counts for what is moved there from now on. */
  trashTtlDays: days.min(1),
  /** Bytes of the trash at most; null: any number. Deleted transcripts and workspaces keep their days (X3). */
  trashBytesMax: z.number().int().min(0).nullable(),
})
export type RetentionSettings = z.infer<typeof retentionSettingsSchema>

/** A month to look something up, and a week to notice that it went. */
export const retentionDefaults: RetentionSettings = {
  transcriptTtlDays: 30,
  transcriptsMax: null,
  bytesMax: null,
  trashTtlDays: 7,
  // Databases and logs of hundreds of worktrees, and little of any disk that builds software.
  trashBytesMax: 5_000_000_000,
}

/**
 * `transcript`: taken to the trash. The others leave the trash for good: `trashed-transcript` and
 * `trashed-workspace` (a deleted root with everything below it) by task, `trashed-worktree` (what was left in
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
 * `age`: not active for too long; `count`, `bytes`: the oldest beyond what is kept; `trash`: its time there is
 * over; `trash-bytes`: the oldest beyond what the trash may hold; `asked`: the person deleted it.
 */
const removalReasonSchema = z.enum(['age', 'count', 'bytes', 'trash', 'trash-bytes', 'asked'])
export type RemovalReason = z.infer<typeof removalReasonSchema>

export const removedItemSchema = z.object({
  /** A task's id, or a name in the trash. */
  id: z.string(),
  kind: removedKindSchema,
  reason: removalReasonSchema,
  bytes: z.number().int().min(0),
  title: z.string(),
  /** ISO 8601: when it was last active, or came to the trash; null: not known. */
  lastActiveAt: z.string().nullable(),
})
export type RemovedItem = z.infer<typeof removedItemSchema>

const sweepSchema = z.object({
  dryRun: z.boolean(),
  removed: z.array(removedItemSchema),
  /** Transcripts that stay. */
  kept: z.number().int().min(0),
  /** Null when nothing was removed. */
  receipt: receiptIdSchema.nullable(),
})
export type Sweep = z.infer<typeof sweepSchema>

/**
 * The clock is weeks past the newest record: either nobody used Shiplog for as long, or it is wrong, which makes
 * everything look old. A sweep then needs the person's word (`clockIsRight`).
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

/** `in-trash`: can be restored; `restored`: it was; `kept`: it never went to the trash; `gone`: permanently deleted. */
const receiptItemSchema = removedItemSchema.extend({
  state: z.enum(['in-trash', 'restored', 'kept', 'gone']),
})
export type ReceiptItem = z.infer<typeof receiptItemSchema>

/** `start`: the sweep when Shiplog began; `person`: asked for; `budget`: something came to a full trash. */
export const sweptBySchema = z.enum(['start', 'person', 'budget'])
export type SweptBy = z.infer<typeof sweptBySchema>

const receiptSummarySchema = z.object({
  id: receiptIdSchema,
  at: z.string(),
  by: sweptBySchema,
  /** Transcripts that were taken to the trash, and their bytes. */
  transcripts: z.number(),
  bytes: z.number(),
  /** How many of them can still be restored, and until when at least. */
  inTrash: z.number(),
  keptUntil: z.string().nullable(),
  /** How many of them were restored, and how many were permanently deleted. */
  restored: z.number(),
  gone: z.number(),
  /** What was permanently deleted, and its bytes. */
  deleted: z.number(),
  deletedBytes: z.number(),
})
export type ReceiptSummary = z.infer<typeof receiptSummarySchema>

/** An item in the trash. */
const trashEntrySchema = z.object({
  /** In the trash folder: what the other calls want. */
  name: z.string(),
  kind: removedKindSchema.exclude(['transcript']),
  taskId: taskIdSchema.nullable(),
  title: z.string(),
  projectDir: z.string().nullable(),
  /** Files, where they were counted; tasks of a deleted workspace. */
  count: z.number().int().min(0).nullable(),
  bytes: z.number().int().min(0),
  /** Why it is here; null: not known, as of files and of a transcript whose receipt can't be read. */
  reason: removalReasonSchema.nullable(),
  /** ISO 8601. */
  since: z.string(),
  /** It is deleted then, or earlier when the trash is full; null: pinned, so never. */
  until: z.string().nullable(),
  /** Null: it can be restored. Else why not, as a sentence. */
  notRestorable: z.string().nullable(),
  /** Folders that were deleted with a worktree, because what made them makes them again. */
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
  /** Opens the folder of one thing in the trash, or the trash, in the file manager of the host's machine. */
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
   * Moves transcripts of finished tasks to the trash, with a receipt that `undo` takes; reports and patches stay.
   * `left`: those that are in use, pinned, continued by another task, or gone already, and why.
   */
  deleteTranscripts: base.input(z.object({ taskIds: z.array(idTextSchema).min(1) })).output(
    z.object({
      deleted: z.array(taskIdSchema),
      left: z.array(z.object({ id: taskIdSchema, why: z.string() })),
      /** Null when none could be. */
      receipt: receiptIdSchema.nullable(),
    }),
  ),
  settings: base.output(retentionSettingsSchema),
  setSettings: base.input(retentionSettingsSchema).output(retentionSettingsSchema),
  /** What a sweep would remove now, with these settings or those that are set. Changes nothing. */
  preview: base
    .input(z.object({ settings: retentionSettingsSchema.optional() }))
    .output(sweepPreviewSchema),
  /**
   * With the settings that are set, except for those given here. REFUSED (`clock-ahead`) while the clock is weeks
   * past the newest record, unless `clockIsRight`: the person says so, and it is not asked again.
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
  /** Newest first. `unreadable`: receipt files that can't be read; they are kept. */
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
  /** A pinned task's transcript, and those of everything below it, are never swept (X1). */
  pin: base.input(z.object({ taskId: idTextSchema, pinned: z.boolean() })).output(z.object({})),
}
