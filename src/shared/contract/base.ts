/** Typed errors that any procedure may answer with. Everything else is a bug and becomes INTERNAL. */
import { oc } from '@orpc/contract'
import { z } from 'zod'

/** `what`: 'task', 'project', 'report' ...; `id`: what was asked for, as given. */
const subject = z.object({ what: z.string(), id: z.string() })

export const base = oc.errors({
  NOT_FOUND: { status: 404, data: subject },
  AMBIGUOUS: { status: 409, data: subject.extend({ candidates: z.array(z.string()) }) },
  /** It exists, but not below the workspace that asks (A5). */
  OUT_OF_SCOPE: { status: 403, data: subject },
  /** It exists, but what is on disk can't be trusted (A5). `file`: where. */
  DAMAGED: { status: 422, data: subject.extend({ file: z.string(), reason: z.string() }) },
  /** The input can't be used; the message says what to do. */
  INVALID: { status: 400, data: z.object({ field: z.string() }) },
  /** It would be possible, but not in this state: completed, running, conflicts, not trusted. */
  REFUSED: { status: 412, data: z.object({ reason: z.string() }) },
  /** A write failed: the disk is full or can't be written. Nothing acknowledged is lost. */
  STORAGE: { status: 507, data: z.object({ code: z.string(), path: z.string() }) },
})

export type ContractErrorCode =
  | 'NOT_FOUND'
  | 'AMBIGUOUS'
  | 'OUT_OF_SCOPE'
  | 'DAMAGED'
  | 'INVALID'
  | 'REFUSED'
  | 'STORAGE'
