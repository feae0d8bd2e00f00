/**
 * The timeline of a transcript: one small mark for most entries, without long texts, so that a replay can hold all of
 * it. Entries that only belong to another entry have no mark.
 */
import { z } from 'zod'
import { permissionModeSchema } from '../../agents/permission-modes.ts'
import { taskIdSchema, toolCallIdSchema } from '../../records/ids.ts'
import { taskStatusSchema } from '../../records/tasks/task-status.ts'
import { usageSchema } from '../../records/usage.ts'

/** Limit for a label, a prompt, a question, a path or a reason: a line of a tooltip. */
export const markTextCharsMax = 120
/** Limit for the sub-agents of one result; the result itself has all. */
export const markAgentsMax = 50
/** Limit for the sentences about drift of a `resume`. */
export const markDriftMax = 5
/** Limit for one page: about half a megabyte. */
export const timelinePageMarksMax = 5_000

const seq = z.number().int().min(1)
const count = z.number().int().min(0)
const text = z.string()
/** `at`: milliseconds since the epoch. The order is that of `seq`; clocks may go back. */
const stamp = { seq, at: z.number() }

const timelineMarkSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), ...stamp, text }),
  /** The message that ends a turn. */
  z.object({
    kind: z.literal('turn'),
    ...stamp,
    turn: z.number().int().min(1).nullable(),
    status: z.enum(['complete', 'interrupted', 'superseded']),
    text,
    model: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  z.object({
    kind: z.literal('call'),
    ...stamp,
    turn: z.number().int().min(1),
    name: z.string(),
    /** `Running npm test`. */
    text,
    /** True if it records the files before the call. */
    files: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal('result'),
    ...stamp,
    /** The seq of its call. Null: not recorded, or before this page; then `callId` identifies it. */
    call: seq.nullable(),
    callId: toolCallIdSchema.optional(),
    name: z.string(),
    turn: z.number().int().min(1),
    outcome: z.enum(['ok', 'error', 'unknown', 'not-run']),
    durationMs: z.number().min(0),
    /** The shell's directory after the call, if the call reports it. */
    directory: z.string().optional(),
    /** The states of sub-agents that the call reported to their parent. */
    agents: z.array(z.object({ taskId: taskIdSchema, status: taskStatusSchema })).optional(),
    /** True if it records the files after the call. */
    files: z.literal(true).optional(),
  }),
  /** A snapshot of the files: after a turn, or at the start or end of a run. */
  z.object({
    kind: z.literal('files'),
    ...stamp,
    turn: z.number().int().min(1).nullable(),
    branch: z.string().nullable(),
    /** The number of files that the run changed since the previous snapshot. */
    changed: count,
    /** One of them, if there are any. */
    path: z.string().optional(),
  }),
  z.object({ kind: z.literal('files-failed'), ...stamp, text }),
  z.object({
    kind: z.literal('place'),
    ...stamp,
    directory: z.string(),
    branch: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('worktree'),
    ...stamp,
    /** Null: the worktree was left. */
    path: z.string().nullable(),
    branch: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('run'),
    ...stamp,
    run: z.number().int().min(1),
    reason: z.enum(['prompt', 'resume', 'retry']),
    model: z.string().nullable(),
    /** Null: a user's own script, without permission checks. */
    permissions: permissionModeSchema.nullable(),
  }),
  z.object({
    kind: z.literal('run-end'),
    ...stamp,
    run: z.number().int().min(1),
    status: z.enum(['completed', 'interrupted', 'failed']),
    text,
  }),
  z.object({ kind: z.literal('resume'), ...stamp, drift: z.array(text), driftMore: count }),
  z.object({ kind: z.literal('retry'), ...stamp, turn: z.number().int().min(1), text }),
  z.object({
    kind: z.literal('permission'),
    ...stamp,
    text,
    /** Null: not answered yet. */
    allowed: z.boolean().nullable(),
  }),
  /** The items are in the entry. */
  z.object({ kind: z.literal('plan'), ...stamp, done: count, total: count }),
  z.object({ kind: z.literal('compaction'), ...stamp }),
  z.object({ kind: z.literal('pull-request'), ...stamp, url: z.string() }),
  /** The start or end of an abandoned branch of the conversation. */
  z.object({ kind: z.literal('fork'), ...stamp, begins: z.boolean() }),
  /** A record that this version can't parse. */
  z.object({ kind: z.literal('unknown'), ...stamp, text }),
])
export type TimelineMark = z.infer<typeof timelineMarkSchema>

export const timelinePageSchema = z.object({
  marks: z.array(timelineMarkSchema),
  /** The calls of this page without a result in it. */
  open: z.array(z.object({ callId: toolCallIdSchema, seq })),
  /** The start of the next page, after the last entry that was read. */
  nextSeq: seq,
  /** The number of entries in the whole transcript, which may grow. */
  total: count,
})
export type TimelinePage = z.infer<typeof timelinePageSchema>
