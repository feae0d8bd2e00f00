/** The text of a cause, safe to show: a cause may contain the output of an agent or a command. */
import { type Cause, formatCause } from '../../../shared/records/causes.ts'
import { plainText } from '../../../shared/text/plain-text.ts'

/** Returns a phrase that can be used alone or after a colon. */
export const plainCause = (cause: Cause): string => plainText(formatCause(cause))

/** Returns a phrase short enough for a row. */
export const shortCause = (cause: Cause): string => plainText(formatCause(cause, { form: 'short' }))

/**
 * Returns ` because Shiplog quit`, ` with Ctrl-C` or `: <cause>` to follow the word "Interrupted";
 * empty without a cause.
 */
export const afterInterrupted = (cause: Cause | null): string =>
  cause === null ? '' : plainText(formatCause(cause, { form: 'clause' }))
