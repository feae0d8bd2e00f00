/** Why something ended, in words that are safe to show: a cause may hold what an agent or a command printed. */
import { type Cause, formatCause } from '../../../shared/records/causes.ts'
import { plainText } from '../../../shared/text/plain-text.ts'

/** A phrase that can stand alone or after a colon. */
export const causeWords = (cause: Cause): string => plainText(formatCause(cause))

/** The same in the space of a row. */
export const shortCause = (cause: Cause): string => plainText(formatCause(cause, { form: 'short' }))

/** ` because Shiplog quit`, ` with Ctrl-C` or `: <cause>` after the word "Interrupted"; empty when there is none. */
export const afterInterrupted = (cause: Cause | null): string =>
  cause === null ? '' : plainText(formatCause(cause, { form: 'clause' }))
