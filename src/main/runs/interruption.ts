import { type Cause, formatCause } from '../../shared/causes.ts'
import { diskErrors } from '../../shared/disk-errors.ts'
import { JournalWriteError, systemCode } from '../journal/index.ts'

/** Why a run is being ended from outside: its cause goes into the record (T3). */
export class Interruption extends Error {
  readonly why: Cause
  constructor(why: Cause) {
    super(formatCause(why))
    this.name = 'Interruption'
    this.why = why
  }

  /** True when Shiplog itself is closing: what has not begun stays queued. */
  get closing(): boolean {
    return this.why.kind === 'closed'
  }
}

/** The reason of an aborted signal, or what was thrown, as the cause that is recorded. */
export function causeOf(reason: unknown): Cause {
  if (reason instanceof Interruption) return reason.why
  const detail = messageOf(reason)
  const code = systemCode(reason)
  const known = diskErrors.find((one) => one.code === code)
  if (known) return { kind: known.cause, code, detail }
  if (reason instanceof JournalWriteError) return { kind: 'disk-failed', code, detail }
  return { kind: 'error', detail }
}

export const messageOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason)
