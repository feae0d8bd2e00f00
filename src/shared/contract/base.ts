/** The typed errors of all procedures. Any other error is a bug and becomes INTERNAL. */
import { oc } from '@orpc/contract'
import { z } from 'zod'

/** `what`: 'task', 'project', 'report' ...; `id`: as in the request. */
const subject = z.object({ what: z.string(), id: z.string() })

export const base = oc.errors({
  NOT_FOUND: { status: 404, data: subject },
  AMBIGUOUS: { status: 409, data: subject.extend({ candidates: z.array(z.string()) }) },
  /** It exists, but not below the requesting workspace (A5). */
  OUT_OF_SCOPE: { status: 403, data: subject },
  /** It exists, but its file is damaged (A5). */
  DAMAGED: { status: 422, data: subject.extend({ file: z.string(), reason: z.string() }) },
  /** The input is not valid; the message contains the remedy. */
  INVALID: { status: 400, data: z.object({ field: z.string() }) },
  /** Valid, but not possible in the current state: completed, running, conflicts, not trusted. */
  REFUSED: { status: 412, data: z.object({ reason: z.string() }) },
  /** A write failed: the disk is full or not writable. Nothing that was acknowledged is lost. */
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
