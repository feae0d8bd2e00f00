/** The fields of every entry, and schemas that several types share. */

import { z } from 'zod'
import { entryIdSchema } from '../ids.ts'

export const turn = z.number().int().min(1)

export const entryBase = z.object({
  v: z.number().int().min(1),
  /** The position in the file, contiguous from 1 (J2). Entries are ordered by it, never by the clock (J9). */
  seq: z.number().int().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  uuid: entryIdSchema,
  /**
   * The entry that this one follows: the one before it in the file. Two exceptions: a `fork-start` follows the entry
   * at which its branch starts, and the entry after a `fork-end` follows the entry before that fork.
   */
  parentUuid: entryIdSchema.nullable(),
})

/** The SHA-1 or SHA-256 id of a commit or tree in Git. */
export const gitObjectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
