/** Formats numbers and times. Pure: the current time is passed in. */
import prettyBytes from 'pretty-bytes'
import prettyMilliseconds from 'pretty-ms'
import { dayMs, hourMs } from '../../../shared/durations.ts'
import { counted as sharedCounted } from '../../../shared/text/counted.ts'
import { dayOf } from '../../../shared/text/format-time.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
/** After this, a date is more useful than a number of days. */
const relativeMaxMs = 7 * dayMs

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })
const clockTime = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})
const clockTimeWithSeconds = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')

/**
 * Formats `now`, `12s ago`, `5m ago`, `3h ago`, `2d ago`, then the date. A time slightly in the
 * future is `now`.
 */
export function relativeTime(iso: string, nowMs: number): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return 'unknown time'
  const ago = nowMs - at
  if (ago < 5 * secondMs) return 'just now'
  if (ago < minuteMs) return `${Math.floor(ago / secondMs)}s ago`
  if (ago < hourMs) return `${Math.floor(ago / minuteMs)}m ago`
  if (ago < dayMs) return `${Math.floor(ago / hourMs)}h ago`
  if (ago < relativeMaxMs) return `${Math.floor(ago / dayMs)}d ago`
  return dayOf(iso, nowMs)
}

/** Formats the exact time, for a tooltip. */
export function exactTime(iso: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? iso : exact.format(at)
}

/** `14:05`, in the reader's time zone. */
export function timeOfDay(iso: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? iso : clockTime.format(at)
}

/** `14:05:09`, in the reader's time zone. */
export function timeOfDayWithSeconds(iso: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? iso : clockTimeWithSeconds.format(at)
}

/** Formats `40ms`, `1.4s`, `12s`, `3m 8s`. Negative durations count as zero. */
export function duration(ms: number): string {
  const atLeastZero = Math.max(0, ms)
  if (atLeastZero < secondMs) return `${Math.round(atLeastZero)}ms`
  return prettyMilliseconds(atLeastZero, {
    secondsDecimalDigits: atLeastZero < 10 * secondMs ? 1 : 0,
    unitCount: 2,
  })
}

/**
 * Formats a running clock, which must not flicker with tenths: `4s`, `1m 12s`; `0s` while it runs,
 * and `<1s` once it has stopped.
 */
export function elapsed(ms: number, running = false): string {
  const seconds = Math.floor(Math.max(0, ms) / secondMs) * secondMs
  if (seconds === 0) return running ? '0s' : '<1s'
  return prettyMilliseconds(seconds, { secondsDecimalDigits: 0, unitCount: 2 })
}

export const bytes = (count: number): string => prettyBytes(count)
/** `940`, `12.3K`, `1.2M`. */
export const roundedCount = (count: number): string => compact.format(count)
export const exactCount = (count: number): string => whole.format(count)

/** `1 file`, `2 files`. */
export const counted = (count: number, one: string, many?: string): string =>
  sharedCounted(count, one, many, exactCount(count))

/** `Both`, `All 3`: two or more. */
export const allOf = (count: number): string => (count === 2 ? 'Both' : `All ${exactCount(count)}`)
