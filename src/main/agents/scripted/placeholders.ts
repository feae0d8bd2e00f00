import type { Json } from './scenario.ts'

export interface PlaceholderValues {
  prompt: string
  cwd: string
  taskId: string
  /** The last tool result as text. */
  'last.output': string
}

const placeholder = /\{\{(prompt|cwd|taskId|last\.output)\}\}/g

/** Replaces the four placeholders, and nothing else; the inserted text is not searched again. */
export const fillText = (text: string, values: PlaceholderValues): string =>
  text.replace(placeholder, (_, name: keyof PlaceholderValues) => values[name])

/** The same in every text of a value; keys stay as they are. */
export function fillValue(value: Json, values: PlaceholderValues): Json {
  if (typeof value === 'string') return fillText(value, values)
  if (Array.isArray(value)) return value.map((item) => fillValue(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillValue(item, values)]),
  )
}

export const hasPlaceholder = (text: string): boolean => text.search(placeholder) !== -1
