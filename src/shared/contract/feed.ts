/**
 * Live updates. Each feed yields a snapshot with its `seq`, then bounded batches after it; its event id
 * is that `seq`, so a client whose connection was lost continues where it was (`lastEventId`). The ledger's
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
  /** By project: the set-up configuration that the person allowed. */
  trustedSetups: z.array(z.object({ projectId: projectIdSchema, configSha256: z.string() })),
})

export const ledgerFeedEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    /** With the first tasks only when there are more `parts`: it counts once the last of them has come. */
    state: ledgerStateSchema,
    /** How many events it is sent in, this one included; 1 when absent. */
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
  }),
  /** What the runs that have not ended used so far; null: it has ended. Not part of the record. */
  z.object({
    type: z.literal('usage'),
    usage: z.record(
      taskIdSchema,
      z.object({ run: z.number().int().min(1), usage: usageSchema }).nullable(),
    ),
  }),
])
export type LedgerFeedEvent = z.infer<typeof ledgerFeedEventSchema>

const sessionFeedEventSchema = z.discriminatedUnion('type', [
  /** The newest entries, about a screen of them; older ones come by pages. */
  z.object({
    type: z.literal('snapshot'),
    seq: z.number().int().min(0),
    entries: z.array(entrySchema),
    partial: partialMessageSchema.nullable(),
    damage: z.array(damageSchema),
  }),
  /** At most `transcriptPageBytesMax` of them, unless it is one. */
  z.object({ type: z.literal('entries'), entries: z.array(entrySchema).max(feedBatchMax) }),
  /** The message in progress as a whole: when it begins, and after a lost connection. */
  z.object({ type: z.literal('partial'), partial: partialMessageSchema.nullable() }),
  /** Text to add to part `part` of the message in progress; a new part when there is none yet. */
  z.object({
    type: z.literal('delta'),
    part: z.number().int().min(0),
    partType: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  /** What the calls that run have printed, all of them: after a snapshot or a lost connection. */
  z.object({ type: z.literal('running'), calls: z.array(callProgressSchema) }),
  /** To be added to what is known of this call; the end of it counts. */
  z.object({ type: z.literal('call-progress'), progress: callProgressSchema }),
  /** The session was archived: no more will come; pages still answer. */
  z.object({ type: z.literal('ended') }),
])
export type SessionFeedEvent = z.infer<typeof sessionFeedEventSchema>

/** All pending questions, sent whenever one is added or removed. */
const permissionsFeedEventSchema = z.object({ questions: z.array(pendingPermissionSchema) })
export type PermissionsFeedEvent = z.infer<typeof permissionsFeedEventSchema>

/** Every session, for consumers that track all of them, such as a search index. */
const sessionsFeedEventSchema = z.object({
  /** Each at most once an event; what happened to it since the last one is one item. */
  sessions: z
    .array(
      z.object({
        taskId: taskIdSchema,
        /** The seq of its newest durable entry; null if it has not grown. */
        seq: z.number().int().min(1).nullable(),
        /** It is elsewhere now, or gone, or back: archived, restored, in the trash, expired. */
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
  /** `tasks.planResume` piece by piece; it ends after the last agent was checked. Changes nothing. */
  resumePlan: base
    .input(z.object({ selector: resumeSelectorSchema }))
    .output(eventIterator(resumePlanEventSchema)),
}
