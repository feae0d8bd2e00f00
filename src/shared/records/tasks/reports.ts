import { z } from 'zod'
import { isoDateTime } from '../date-time.ts'
import { taskIdSchema } from '../ids.ts'

/** The Markdown with which a run ended. */
export const reportSchema = z.object({
  taskId: taskIdSchema,
  run: z.number().int().min(1),
  title: z.string(),
  reportMarkdown: z.string(),
  createdAt: isoDateTime,
  /** Parent first. */
  ancestorIds: z.array(taskIdSchema),
})
export type Report = z.infer<typeof reportSchema>
