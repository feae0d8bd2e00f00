import { z } from 'zod'
import { agentKindSchema } from '../agents/agent-specs.ts'
import { receiptIdSchema, taskIdSchema } from '../records/ids.ts'
import { sandboxSupportSchema } from '../records/projects/sandbox.ts'
import { base } from './base.ts'

/** One quiet line with details: what was healed at start, what was interrupted (UI, "Notices"). */
const noticeSchema = z.object({
  id: z.string(),
  tone: z.enum(['info', 'warning', 'error']),
  text: z.string(),
  details: z.array(z.string()),
  /**
   * `interrupted`: the window has a section for it. `clock-ahead`: the settings of retention ask about it.
   * `project`: one has moved, or its repository is another one.
   */
  topic: z.enum(['interrupted', 'clock-ahead', 'project']).optional(),
  /** The receipt with which `retention.undo` undoes what the notice reports. */
  receiptId: receiptIdSchema.optional(),
})
export type Notice = z.infer<typeof noticeSchema>

/** Which process writes the data directory. */
const leaseInfoSchema = z.object({
  pid: z.number().int(),
  host: z.enum(['desktop', 'web', 'cli']),
  hostName: z.string(),
  /** True when the command line can reach it. Where and how stays in lease.json, with its token. */
  endpoint: z.boolean(),
  /** ISO 8601. */
  since: z.string(),
})
export type LeaseInfo = z.infer<typeof leaseInfoSchema>

const appInfoSchema = z.object({
  version: z.string(),
  dataDir: z.string(),
  host: z.enum(['desktop', 'web', 'cli']),
  platform: z.string(),
  /** True where the host can show the system's folder dialog. */
  canPickFolder: z.boolean(),
  lease: leaseInfoSchema,
  notices: z.array(noticeSchema),
  /** Where the host writes what it did and what failed: the newest file of its log. */
  logFile: z.string(),
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
  /** What can make sandboxes for commands on this system. It is tried when it is first asked for. */
  sandbox: base.output(sandboxSupportSchema),
  /** Shows the system's folder dialog; null when it was cancelled or there is none. */
  pickFolder: base.output(z.object({ dir: z.string().nullable() })),
  /** Opens a transcript in a window of its own, at an entry. False: this host has no windows, but browsers have tabs. */
  openWindow: base
    .input(z.object({ taskId: taskIdSchema, seq: z.number().int().min(1).optional() }))
    .output(z.object({ opened: z.boolean() })),
}
