import { z } from 'zod'
import { agentKindSchema } from '../tasks.ts'
import { base } from './base.ts'

/** One quiet line with details: what was healed at start, what was interrupted (UI, "Notices"). */
export const noticeSchema = z.object({
  id: z.string(),
  tone: z.enum(['info', 'warning', 'error']),
  text: z.string(),
  details: z.array(z.string()),
})
export type Notice = z.infer<typeof noticeSchema>

export const appInfoSchema = z.object({
  version: z.string(),
  dataDir: z.string(),
  host: z.enum(['desktop', 'web', 'cli']),
  platform: z.string(),
  /** True where the host can show the system's folder dialog. */
  canPickFolder: z.boolean(),
  notices: z.array(noticeSchema),
  agents: z.array(
    z.object({
      kind: agentKindSchema,
      name: z.string(),
      available: z.boolean(),
      why: z.string().nullable(),
    }),
  ),
})
export type AppInfo = z.infer<typeof appInfoSchema>

export const app = {
  info: base.output(appInfoSchema),
  /** Shows the system's folder dialog; null when it was cancelled or there is none. */
  pickFolder: base.output(z.object({ dir: z.string().nullable() })),
}
