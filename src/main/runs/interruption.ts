import { messageOf } from '../../shared/error-message.ts'
import { type Cause, formatCause } from '../../shared/records/causes.ts'
import { diskErrors } from '../../shared/records/disk-errors.ts'
import { JournalWriteError, systemCode } from '../journal/index.ts'

/** The abort reason of a run that is ended from outside, with the cause to record (T3). */
export class Interruption extends Error {
  readonly why: Cause
  constructor(why: Cause) {
    super(formatCause(why))
    this.name = 'Interruption'
    this.why = why
  }

  /** True when Shiplog itself is closing: tasks that have not begun stay queued. */
  get closing(): boolean {
    return this.why.kind === 'closed'
  }
}

/** Converts an abort reason or a thrown error into the cause to record. */
export function causeOf(reason: unknown): Cause {
  if (reason instanceof Interruption) return reason.why
  const detail = messageOf(reason)
  const code = systemCode(reason)
  const known = diskErrors.find((one) => one.code === code)
  if (known) return { kind: known.cause, code, detail }
  if (reason instanceof JournalWriteError) return { kind: 'disk-failed', code, detail }
  return { kind: 'error', detail }
}
