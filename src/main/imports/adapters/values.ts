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

/**
 * Values that are nested deeper overflow the stack when they are written, and no tool writes them. Stacks hold some 1,500
 * levels.
 */
const levelsMax = 500

/** Whether a value is nested too deeply to be written again. `json`: its text, which most often suffices for the answer. */
export function isTooDeep(value: unknown, json: string): boolean {
  if (!hasOpeners(json, levelsMax)) return false
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return true
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  }
  return false
}

function hasOpeners(json: string, number: number): boolean {
  if (json.length <= 2 * number) return false
  let found = 0
  for (const opener of ['{', '['])
    for (let at = json.indexOf(opener); at !== -1; at = json.indexOf(opener, at + 1))
      if (++found > number) return true
  return false
}

/** Larger numbers are no counts, and sums of them would not be exact. */
const countMax = 1e10

/** A non-negative integer; 0 if the value is no count. */
export const count = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= countMax ? Math.floor(value) : 0

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
