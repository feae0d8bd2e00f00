/** How a moment reads in a message, in the time zone of the process that words it. */

const sameYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })
const otherYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const moment = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** `Nov 3`, or `Nov 3, 2025` when that is not this year. For a day to come as well. */
export function dayOf(iso: string, nowMs = Date.now()): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return 'an unknown day'
  const date = new Date(at)
  const format = date.getFullYear() === new Date(nowMs).getFullYear() ? sameYear : otherYear
  return format.format(date)
}

/** `Nov 3, 2025, 14:05`. */
export function momentOf(iso: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? 'an unknown time' : moment.format(at)
}
