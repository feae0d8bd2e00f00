/**
 * The course of a transcript in marks: small, without its texts, so that a replay holds all of it. Most entries have a
 * mark; those that only belong to another entry have none.
 */
import { z } from 'zod'
import { permissionModeSchema } from '../../agents/permission-modes.ts'
import { taskIdSchema, toolCallIdSchema } from '../../records/ids.ts'
import { taskStatusSchema } from '../../records/tasks/task-status.ts'
import { usageSchema } from '../../records/usage.ts'

/** Limit for a label, a prompt, a question, a path or a reason: a line of a tooltip. */
export const markTextCharsMax = 120
/** Sub-agents that one result names; more are in the result itself. */
export const markAgentsMax = 50
/** How much of the drift a `resume` lists: what is read at a glance. */
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
    /** It states the files before it. */
    files: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal('result'),
    ...stamp,
    /** The seq of its call. Null: no entry, or open and before this page; then `callId` names it. */
    call: seq.nullable(),
    callId: toolCallIdSchema.optional(),
    name: z.string(),
    turn: z.number().int().min(1),
    outcome: z.enum(['ok', 'error', 'unknown']),
    durationMs: z.number().min(0),
    /** The shell's directory after the call, if the call reports it. */
    directory: z.string().optional(),
    /** The states of sub-agents that the call reported to their parent. */
    agents: z.array(z.object({ taskId: taskIdSchema, status: taskStatusSchema })).optional(),
    /** It states the files after it. */
    files: z.literal(true).optional(),
  }),
  /** A snapshot: after a turn, at the beginning or end of a run. */
  z.object({
    kind: z.literal('files'),
    ...stamp,
    turn: z.number().int().min(1).nullable(),
    branch: z.string().nullable(),
    /** Files that the run changed since the one before. */
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
    /** Null: it was left. */
    path: z.string().nullable(),
    branch: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('run'),
    ...stamp,
    run: z.number().int().min(1),
    reason: z.enum(['prompt', 'resume', 'retry']),
    model: z.string().nullable(),
    /** Null: a person's own script, about which nothing is asked. */
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
    /** Null: nobody has answered yet. */
    allowed: z.boolean().nullable(),
  }),
  /** Its items are in the entry. */
  z.object({ kind: z.literal('plan'), ...stamp, done: count, total: count }),
  z.object({ kind: z.literal('compaction'), ...stamp }),
  z.object({ kind: z.literal('pull-request'), ...stamp, url: z.string() }),
  /** A branch of the conversation that was left again. */
  z.object({ kind: z.literal('fork'), ...stamp, begins: z.boolean() }),
  /** A record that can't be understood, or is damaged. */
  z.object({ kind: z.literal('unknown'), ...stamp, text }),
])
export type TimelineMark = z.infer<typeof timelineMarkSchema>

export const timelinePageSchema = z.object({
  marks: z.array(timelineMarkSchema),
  /** Calls of this page that had no result in it. */
  open: z.array(z.object({ callId: toolCallIdSchema, seq })),
  /** Where the next page begins: after the last entry that was read. */
  nextSeq: seq,
  /** Entries in the whole transcript; it may grow. */
  total: count,
})
export type TimelinePage = z.infer<typeof timelinePageSchema>
