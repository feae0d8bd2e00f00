/** Events of transcripts and of retention. */
import { z } from 'zod'
import { receiptIdSchema, taskIdSchema } from '../ids.ts'
import { transcriptCountsSchema } from '../tasks/transcript-status.ts'

export const transcriptEventSchemas = [
  /** An entry was added to its transcript while it was not running, so the counts of its last run are too low. */
  z.object({
    type: z.literal('transcript.appended'),
    taskId: taskIdSchema,
    transcript: transcriptCountsSchema,
  }),
  /** Its transcript is being moved to the trash. Recorded before the move, so that the next start can complete it (X3). */
  z.object({
    type: z.literal('transcript.expired'),
    taskId: taskIdSchema,
    receiptId: receiptIdSchema,
    /** It can be restored at least until this time, in milliseconds since the epoch. */
    keptUntil: z.number(),
    /** Set if the user deleted it; absent if a sweep did. */
    byPerson: z.literal(true).optional(),
  }),
  /** It is back in its place. `failure`: it could not be moved; `person`: it was restored, which counts as activity. */
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
  /** A sweep has ended. Its receipt lists the removed items. */
  z.object({ type: z.literal('retention.swept'), receiptId: receiptIdSchema }),
  /** The user confirmed a clock that leapt ahead: its times are valid from now on (X3). */
  z.object({ type: z.literal('clock.confirmed') }),
] as const
