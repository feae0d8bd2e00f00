/**
 * Live updates. Each feed yields a snapshot with its `seq`, then bounded batches after it; its event id
 * is that `seq`, so a client continues there after a lost connection (`lastEventId`). The ledger's
 * snapshot comes in bounded parts; only the last one has the id (`projections/ledger-snapshot.ts`).
 */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { callProgressSchema } from '../agents/agent-records.ts'
import { pendingPermissionSchema } from '../agents/permissions.ts'
import { entrySchema } from '../records/entries.ts'
import { partialMessageSchema } from '../records/entry-types/messages.ts'
import { idTextSchema, projectIdSchema, taskIdSchema } from '../records/ids.ts'
import { ledgerRecordSchema } from '../records/ledger.ts'
import { projectSchema } from '../records/projects/projects.ts'
import { resumePlanEventSchema, resumeSelectorSchema } from '../records/resume.ts'
import { activitySchema } from '../records/tasks/activity.ts'
import { taskSchema } from '../records/tasks/tasks.ts'
import { usageSchema } from '../records/usage.ts'
import { base } from './base.ts'
import { damageSchema } from './workspace.ts'

/** A MessagePort has no back-pressure: one batch must stay small enough to be handled within a frame. */
export const feedBatchMax = 200

const ledgerStateSchema = z.object({
  seq: z.number().int().min(0),
  dataDir: z.string(),
  projects: z.array(projectSchema),
  tasks: z.array(taskSchema).max(feedBatchMax),
  /** By project: the set-up configuration that the user allowed. */
  trustedSetups: z.array(z.object({ projectId: projectIdSchema, configSha256: z.string() })),
})

export const ledgerFeedEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    /** Has only the first tasks if there are more `parts`. Valid once the last part has arrived. */
    state: ledgerStateSchema,
    /** The number of events of the snapshot, including this one; absent: 1. */
    parts: z.number().int().min(1).optional(),
  }),
  z.object({
    type: z.literal('snapshot-part'),
    tasks: z.array(taskSchema).max(feedBatchMax),
  }),
  z.object({ type: z.literal('records'), records: z.array(ledgerRecordSchema).max(feedBatchMax) }),
  /** The current activity of each running agent; null once it stops. Not part of the record. */
  z.object({
    type: z.literal('activity'),
    activity: z.record(taskIdSchema, activitySchema.nullable()),
    /** Replaces everything received before: first, and after a lost connection. */
    whole: z.literal(true).optional(),
  }),
  /** The usage so far of runs that have not ended; null: it has ended. Not part of the record. */
  z.object({
    type: z.literal('usage'),
    usage: z.record(
      taskIdSchema,
      z.object({ run: z.number().int().min(1), usage: usageSchema }).nullable(),
    ),
    /** As above. */
    whole: z.literal(true).optional(),
  }),
])
export type LedgerFeedEvent = z.infer<typeof ledgerFeedEventSchema>

const sessionFeedEventSchema = z.discriminatedUnion('type', [
  /** The newest entries, about a screen; older ones are read by pages. */
  z.object({
    type: z.literal('snapshot'),
    seq: z.number().int().min(0),
    entries: z.array(entrySchema),
    partial: partialMessageSchema.nullable(),
    damage: z.array(damageSchema),
  }),
  /** At most `transcriptPageBytesMax` bytes, except for a single larger entry. */
  z.object({ type: z.literal('entries'), entries: z.array(entrySchema).max(feedBatchMax) }),
  /** The message in progress as a whole: when it begins, and after a lost connection. */
  z.object({ type: z.literal('partial'), partial: partialMessageSchema.nullable() }),
  /** Text to append to part `part` of the message in progress, which may be a new part. */
  z.object({
    type: z.literal('delta'),
    part: z.number().int().min(0),
    partType: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  /** The output so far of all running calls: after a snapshot or a lost connection. */
  z.object({ type: z.literal('running'), calls: z.array(callProgressSchema) }),
  /** Output to append to that of the call; the end is kept. */
  z.object({ type: z.literal('call-progress'), progress: callProgressSchema }),
  /** The session was archived: the feed ends, and pages can still be read. */
  z.object({ type: z.literal('ended') }),
])
export type SessionFeedEvent = z.infer<typeof sessionFeedEventSchema>

/** All pending questions, sent whenever one is added or removed. */
const permissionsFeedEventSchema = z.object({ questions: z.array(pendingPermissionSchema) })
export type PermissionsFeedEvent = z.infer<typeof permissionsFeedEventSchema>

/** Every session, for consumers that track all of them, such as a search index. */
const sessionsFeedEventSchema = z.object({
  /** Each session at most once per event, with all changes since the previous event. */
  sessions: z
    .array(
      z.object({
        taskId: taskIdSchema,
        /** The seq of its newest durable entry; null if it has not grown. */
        seq: z.number().int().min(1).nullable(),
        /** True if it was archived, restored, moved to or from the trash, or has expired. */
        moved: z.boolean(),
      }),
    )
    .max(feedBatchMax),
})
export type SessionsFeedEvent = z.infer<typeof sessionsFeedEventSchema>

export const feed = {
  /** Emits sessions that grow or move from now on. A client that reconnects must compare `workspace.listTranscripts`. */
  sessions: base.output(eventIterator(sessionsFeedEventSchema)),
  ledger: base.output(eventIterator(ledgerFeedEventSchema)),
  permissions: base.output(eventIterator(permissionsFeedEventSchema)),
  session: base
    .input(z.object({ workspaceId: idTextSchema }))
    .output(eventIterator(sessionFeedEventSchema)),
  /** Yields the results of `tasks.planResume` one by one, until the last agent was checked. Changes nothing. */
  resumePlan: base
    .input(z.object({ selector: resumeSelectorSchema }))
    .output(eventIterator(resumePlanEventSchema)),
}
