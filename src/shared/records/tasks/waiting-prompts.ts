/** Follow-ups that wait for a run of their root. */

import { z } from 'zod'
import { imageRefSchema } from '../../agents/agent-records.ts'
import { isoDateTime } from '../date-time.ts'
import { promptIdSchema, taskIdSchema } from '../ids.ts'

/** The most in one root: every list of tasks contains them. */
export const waitingPromptsMax = 20

export const waitingPromptSchema = z.object({
  id: promptIdSchema,
  prompt: z.string(),
  /** Absent: none. */
  images: z.array(imageRefSchema).optional(),
  at: isoDateTime,
  /** True: the running agent gets it before its next turn. Absent: it starts a run of its own. */
  atNextTurn: z.literal(true).optional(),
  /** The task whose review comments it sends; absent: it sends none. */
  commentsOf: taskIdSchema.optional(),
})
export type WaitingPrompt = z.infer<typeof waitingPromptSchema>
