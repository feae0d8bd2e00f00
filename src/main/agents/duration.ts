import { dayMs } from '../../shared/durations.ts'

/** The longest time a scenario or a tool call may name: a day, past which it is a mistake. */
const durationMsMax = dayMs

const msPerUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

export const durationExpected = 'a duration such as 200ms, 30s or 2m'

/** Parses a text such as `200ms`, `1.5s`, `2m` or `1h` into milliseconds; null when it is invalid. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? []
  if (amount === undefined || unit === undefined) return null
  const durationMs = Math.round(Number(amount) * msPerUnit[unit as keyof typeof msPerUnit])
  return durationMs <= durationMsMax ? durationMs : null
}
