/** A run: one execution of a task, and the process it runs in. */

import { z } from 'zod'
import { imageRefSchema } from '../../agents/agent-records.ts'
import { causeSchema } from '../causes.ts'
import { isoDateTime } from '../date-time.ts'

/** Identifies a process. A start compares both fields, because pids are reused (T3). */
export const processIdentitySchema = z.object({
  pid: z.number().int(),
  /** As the system gives it; compared for equality only. */
  startedAt: z.string(),
  /** On Linux, the namespace of the pid: each container numbers its own. Absent: unknown, or another system. */
  pidNamespace: z.string().optional(),
})
export type ProcessIdentity = z.infer<typeof processIdentitySchema>

export const runSchema = z.object({
  run: z.number().int().min(1),
  status: z.enum(['running', 'completed', 'interrupted', 'failed']),
  startedAt: isoDateTime,
  endedAt: isoDateTime.nullable(),
  /**
   * Only for a run whose process was killed: the time its end was recorded. It ended between `endedAt`, its last
   * sign of life, and this time.
   */
  endedAtLatest: isoDateTime.optional(),
  /** Why it did not complete; null if it did. */
  cause: causeSchema.nullable(),
  /** The follow-up that the run works on. Cleared at its end, since the session holds it. */
  prompt: z.string().optional(),
  images: z.array(imageRefSchema).optional(),
  /** The process that it runs in; absent once it has ended. */
  process: processIdentitySchema.optional(),
})
export type Run = z.infer<typeof runSchema>
