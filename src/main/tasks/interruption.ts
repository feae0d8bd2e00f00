/** Why a run is being ended from outside: its cause goes into the record (T3). */
export class Interruption extends Error {
  /** True when Shiplog itself is closing: what has not begun stays queued. */
  readonly closing: boolean
  constructor(cause: string, { closing = false } = {}) {
    super(cause)
    this.name = 'Interruption'
    this.closing = closing
  }
}

/** The reason of an aborted signal as the cause that is recorded. */
export const causeOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason)
