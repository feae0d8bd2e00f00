/** The length of a task's transcript, and its expiry (X). */

import { z } from 'zod'
import { isoDateTime } from '../date-time.ts'
import { receiptIdSchema } from '../ids.ts'

/** The length of a transcript, so that lists and archives need not read it. */
export const transcriptCountsSchema = z.object({
  /** Records of any type. */
  entries: z.number().int().min(0),
  /** Messages, prompts included. */
  messages: z.number().int().min(0),
  /** The size of `chat.jsonl`, without the long values in `blobs/`. */
  bytes: z.number().int().min(0),
})
export type TranscriptCounts = z.infer<typeof transcriptCountsSchema>

/** The removal of a transcript by a sweep or the user (X2, X3). Reports and patches stay. */
export const expirySchema = z.object({
  receiptId: receiptIdSchema,
  at: isoDateTime,
  /** It can be restored from the trash at least until this time. */
  keptUntil: isoDateTime,
  /** True when the user deleted it; absent when a sweep did. */
  byPerson: z.literal(true).optional(),
  /** When it was permanently deleted from the trash; null while it can be restored. */
  purgedAt: isoDateTime.nullable(),
})
export type TranscriptExpiry = z.infer<typeof expirySchema>
