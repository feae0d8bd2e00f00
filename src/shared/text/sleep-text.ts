/** Formats the sleep of a tree for the command line. */
import type { Sleep } from '../projections/ledger/sleep.ts'
import { momentOf } from './format-time.ts'

/** `until Nov 3, 2025, 14:05, then it continues automatically: 5-hour limit`. */
export const sleepText = ({ until, reason }: Sleep): string =>
  `until ${momentOf(until)}, then it continues automatically: ${reason}`
