/** Describes a tool call in one line by its name or verb and its object. The input may have any shape. */
import { traitsOf } from '../../agents/tool-traits.ts'

/** `bash git status`, `task_await Add tests, Write docs`. */
export function describeToolCall(name: string, input: unknown): string {
  const subject = subjectOf(name, input)
  return subject === null ? name : `${name} ${subject}`
}

/** Returns the current activity of an agent in one line: `Running git status`. A foreign tool is shown by its name. */
export function activityOf(name: string, input: unknown, charsMax: number): string {
  const traits = traitsOf(name)
  const object = subjectOf(name, input) ?? traits?.object
  const words = traits ? [traits.verb.now, traits.preposition, object] : [name, object]
  const [firstLine = ''] = words.filter(Boolean).join(' ').trim().split('\n', 1)
  return firstLine.slice(0, charsMax)
}

/** Returns the object of a call as text; null if its input names none. */
function subjectOf(name: string, input: unknown): string | null {
  const found = subjectField(name, input)
  if (!found) return null
  return Array.isArray(found.value) ? found.value.map(String).join(', ') : String(found.value)
}

function subjectField(name: string, input: unknown): { key: string; value: unknown } | null {
  if (typeof input !== 'object' || input === null) return null
  for (const key of traitsOf(name)?.subject ?? []) {
    const value = Object.hasOwn(input, key) ? (input as Record<string, unknown>)[key] : undefined
    if ((typeof value === 'string' && value !== '') || Array.isArray(value)) return { key, value }
  }
  return null
}
