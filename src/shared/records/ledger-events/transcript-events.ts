/** Events of transcripts and of retention. */
import { z } from 'zod'
import { receiptIdSchema, taskIdSchema } from '../ids.ts'
import { transcriptCountsSchema } from '../tasks/transcript-status.ts'

export const transcriptEventSchemas = [
  /** An entry came to its transcript while it did not run, so it is longer than its last run said. */
  z.object({
    type: z.literal('transcript.appended'),
    taskId: taskIdSchema,
    transcript: transcriptCountsSchema,
  }),
  /** Its transcript goes to the trash: recorded before it is moved, so that a start can end it (X3). */
  z.object({
    type: z.literal('transcript.expired'),
    taskId: taskIdSchema,
    receiptId: receiptIdSchema,
    /** Milliseconds since the epoch: it can be restored until then at least. */
    keptUntil: z.number(),
    /** The person deleted it; absent when a sweep did. */
    asked: z.literal(true).optional(),
  }),
  /** It is where it was. `failure`: it could not be moved; `person`: it was restored, and counts as looked at. */
  z.object({
    type: z.literal('transcript.unexpired'),
    taskId: taskIdSchema,
    because: z.enum(['person', 'failure']),
  }),
  /** It was permanently deleted from the trash. */
  z.object({
    type: z.literal('transcript.purged'),
    taskId: taskIdSchema,
    receiptId: receiptIdSchema,
  }),
  /** A sweep that removed something has ended; what, is in its receipt. */
  z.object({ type: z.literal('retention.swept'), receiptId: receiptIdSchema }),
  /** The person said that the clock is right although it leapt ahead: from here on its times count (X3). */
  z.object({ type: z.literal('clock.confirmed') }),
] as const
