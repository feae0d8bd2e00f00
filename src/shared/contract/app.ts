import { z } from 'zod'
import { agentKindSchema } from '../agents/agent-specs.ts'
import { receiptIdSchema, taskIdSchema } from '../records/ids.ts'
import { sandboxSupportSchema } from '../records/projects/sandbox.ts'
import { base } from './base.ts'

/** A notice in one line, with details: a repair at start, or interrupted agents (UI, "Notices"). */
const noticeSchema = z.object({
  id: z.string(),
  tone: z.enum(['info', 'warning', 'error']),
  text: z.string(),
  details: z.array(z.string()),
  /**
   * `interrupted`: shown in a section of the window. `clock-ahead`: the retention settings ask for confirmation.
   * `project`: one has moved, or its repository was replaced.
   */
  topic: z.enum(['interrupted', 'clock-ahead', 'project']).optional(),
  /** The receipt with which `retention.undo` undoes what the notice reports. */
  receiptId: receiptIdSchema.optional(),
})
export type Notice = z.infer<typeof noticeSchema>

/** The process that writes the data directory. */
const leaseInfoSchema = z.object({
  pid: z.number().int(),
  host: z.enum(['desktop', 'web', 'cli']),
  hostName: z.string(),
  /** True if the command line can reach it. Its address and token are only in lease.json. */
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
  /** True if the host can show the system's folder dialog. */
  canPickFolder: z.boolean(),
  lease: leaseInfoSchema,
  notices: z.array(noticeSchema),
  /** The newest file of the host's log. */
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
  /** Returns what can sandbox commands on this system. The first call tests it. */
  sandbox: base.output(sandboxSupportSchema),
  /** Shows the system's folder dialog; null if it was cancelled or there is none. */
  pickFolder: base.output(z.object({ dir: z.string().nullable() })),
  /** Opens a transcript in its own window, at an entry. False: this host has no windows, so it opens in a browser tab. */
  openWindow: base
    .input(z.object({ taskId: taskIdSchema, seq: z.number().int().min(1).optional() }))
    .output(z.object({ opened: z.boolean() })),
}
