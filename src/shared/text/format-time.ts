/** Formats times for messages, in the time zone of the process. */

const sameYear: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const otherYear: Intl.DateTimeFormatOptions = { ...sameYear, year: 'numeric' }
const moment: Intl.DateTimeFormatOptions = {
  ...otherYear,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}

const formats = new Map<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>()

/** Creates formats on demand, because the first one takes 15 ms, which would delay every command. */
function formatted(at: Date | number, options: Intl.DateTimeFormatOptions): string {
  const format = formats.get(options) ?? new Intl.DateTimeFormat('en', options)
  formats.set(options, format)
  return format.format(at)
}

/** `Nov 3`, or `Nov 3, 2025` for another year. */
export function dayOf(iso: string, nowMs = Date.now()): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return 'an unknown day'
  const date = new Date(at)
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear()
  return formatted(date, isThisYear ? sameYear : otherYear)
}

/** `Nov 3, 2025, 14:05`. */
export function momentOf(iso: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? 'an unknown time' : formatted(at, moment)
}
