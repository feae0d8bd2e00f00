/** How long an agent sleeps, as text. */
import type { Sleep } from '../../../shared/projections/ledger/sleep.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { timeOfDay } from '../primitives/format.ts'

/** `Sleeping until 14:05`. */
export const sleepingUntil = ({ until }: Pick<Sleep, 'until'>): string =>
  `Sleeping until ${timeOfDay(until)}`

/** `Sleeping until 14:05: 5-hour limit`. */
export const sleepText = (sleep: Sleep): string =>
  plainText(`${sleepingUntil(sleep)}: ${sleep.reason}`)
