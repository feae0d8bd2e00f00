import type { ClockAhead } from '../contract/retention.ts'
import { dayOf } from './format-time.ts'

/** Describes a clock that leapt ahead, as the beginning of a sentence. */
export const clockAheadText = ({ days, newestAt }: ClockAhead): string =>
  `The clock is ${days.toLocaleString('en')} days past the newest record (${dayOf(newestAt)})`
