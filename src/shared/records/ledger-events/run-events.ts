/** Events of the start and end of runs, and of tasks that don't run. */
import { z } from 'zod'
import { causeSchema } from '../causes.ts'
import { promptIdSchema, taskIdSchema } from '../ids.ts'
import { processIdentitySchema } from '../tasks/runs.ts'
import { transcriptCountsSchema } from '../tasks/transcript-status.ts'
import { usageSchema } from '../usage.ts'

/** Milliseconds since the epoch; set after a crash, when the run ended before its record. */
const endedAt = z.number().optional()

/** Absent if they could not be determined, and in older records. */
const transcript = transcriptCountsSchema.optional()

const taskRun = { taskId: taskIdSchema, run: z.number().int().min(1) }

export const runEventSchemas = [
  z.object({
    type: z.literal('task.spawned'),
    ...taskRun,
    process: processIdentitySchema,
    /** HEAD of the working directory when the run began. */
    spawnCommit: z.string().nullable(),
    /** The follow-up that started it; absent if it was started otherwise. */
    promptId: promptIdSchema.optional(),
  }),
  z.object({ type: z.literal('task.resumed'), ...taskRun, process: processIdentitySchema }),
  /** Its report is durable. Recorded before the end of the run. */
  z.object({ type: z.literal('task.reported'), ...taskRun, title: z.string() }),
  z.object({
    type: z.literal('task.completed'),
    ...taskRun,
    endedAt,
    transcript,
    usage: usageSchema,
  }),
  z.object({
    type: z.literal('task.interrupted'),
    ...taskRun,
    endedAt,
    transcript,
    cause: causeSchema,
    usage: usageSchema,
  }),
  z.object({
    type: z.literal('task.failed'),
    ...taskRun,
    endedAt,
    transcript,
    cause: causeSchema,
    usage: usageSchema,
  }),
  z.object({ type: z.literal('task.blocked'), taskId: taskIdSchema, cause: causeSchema }),
  z.object({ type: z.literal('task.requeued'), taskId: taskIdSchema }),
  z.object({ type: z.literal('task.cancelled'), taskId: taskIdSchema, cause: causeSchema }),
  z.object({ type: z.literal('task.abandoned'), taskId: taskIdSchema, cause: causeSchema }),
] as const
