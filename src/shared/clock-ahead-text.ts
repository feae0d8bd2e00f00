import type { ClockAhead } from './contract/retention.ts'

/** What is seen of a clock that leapt ahead, as the beginning of a sentence. `day`: how the date is shown. */
export const clockAheadText = (
  { days, newestAt }: ClockAhead,
  day: (at: string) => string = (at) => at.slice(0, 10),
): string =>
  `The clock is ${days.toLocaleString('en')} days past the newest record (${day(newestAt)})`
