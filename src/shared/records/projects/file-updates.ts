/** Writes into a folder on behalf of a task: applying its changes, and undoing that. */

import { z } from 'zod'
import { dayMs } from '../../durations.ts'
import { isoDateTime } from '../date-time.ts'
import { updateIdSchema } from '../ids.ts'

export const fileUpdateReasonSchema = z.enum(['apply', 'undo'])

export const fileUpdateSchema = z.object({
  id: updateIdSchema,
  reason: fileUpdateReasonSchema,
  /** On an undo: the apply that it reverts. */
  undoes: updateIdSchema.optional(),
  /** True: only some of the changes, so the status of the patch stays. */
  partial: z.boolean().optional(),
  /** Absolute, as the caller gave it. */
  dir: z.string(),
  /** Absolute: the top level of the folder's working tree. */
  root: z.string(),
  /** A commit that contains the replaced and the written files. */
  commit: z.string(),
  /** A renamed file counts once. */
  files: z.number().int().min(0),
  startedAt: isoDateTime,
  /** Null while files are written, and after a crash until the next start has resolved it. */
  doneAt: isoDateTime.nullable(),
})
export type FileUpdate = z.infer<typeof fileUpdateSchema>

/** Replaced files are kept for this long; then the apply can no longer be undone. */
export const undoableDays = 30

/** Returns the newest apply; null if there is none, or it is too old to be undone. */
export function undoableApply(
  { fileUpdates = [] }: { fileUpdates?: FileUpdate[] | undefined },
  nowMs: number,
): FileUpdate | null {
  const last = fileUpdates.findLast(({ reason, doneAt }) => reason === 'apply' && doneAt !== null)
  if (!last) return null
  return nowMs - Date.parse(last.startedAt) < undoableDays * dayMs ? last : null
}
