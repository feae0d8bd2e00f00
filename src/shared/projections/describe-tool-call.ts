/** A tool call in one line: its name or verb, and what it is about. The input may be of any shape. */
import { traitsOf } from '../agents/tool-traits.ts'

/** `bash git status`, `task_await Add tests, Write docs`. */
export function describeToolCall(name: string, input: unknown): string {
  const subject = subjectOf(name, input)
  return subject === null ? name : `${name} ${subject}`
}

/** `Running git status`: what an agent is doing now, one line. A tool that is not ours is named. */
export function activityOf(name: string, input: unknown, charsMax: number): string {
  const traits = traitsOf(name)
  const object = subjectOf(name, input) ?? traits?.object
  const words = traits ? [traits.verb.now, traits.preposition, object] : [name, object]
  const [firstLine = ''] = words.filter(Boolean).join(' ').trim().split('\n', 1)
  return firstLine.slice(0, charsMax)
}

/** What a call is about, as text; null when it says nothing of that. */
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
