/** Reads fields of untyped records. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** Undefined: invalid JSON. */
export function parseJson(json: string | Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}

/** A non-negative integer; 0 if the value is not a positive number. */
export const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0

/** Parses a time to milliseconds since the epoch; null if it is invalid. */
export function timeOf(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  // Excludes times that `Date` can't format.
  return Number.isFinite(ms) && ms > -6e13 && ms < 2.5e14 ? ms : null
}

const titleCharsMax = 120

/** The first non-blank line of a text, truncated to the length of a title. */
export function titleOf(value: string): string {
  const line = value.split('\n').find((one) => one.trim() !== '') ?? ''
  const trimmed = line.trim().replace(/\s+/g, ' ').toWellFormed()
  return trimmed.length > titleCharsMax ? `${trimmed.slice(0, titleCharsMax - 1)}…` : trimmed
}
