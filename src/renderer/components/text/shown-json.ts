/** Prepares a JSON value for display as a tree: each level is bounded, and no character is invisible. Pure. */
import { visibleText } from '../../../shared/text/shown-text.ts'

/** More elements of one array or object are shown in groups. */
export const membersMax = 100
const stringCharsMax = 2_000
/** Deeper values are shown as text. */
const depthMax = 60

export function shownJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return shownString(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > depthMax) return shownString(JSON.stringify(value))
  if (Array.isArray(value)) {
    const shown = value.map((one) => shownJson(one, depth + 1))
    return shown.length > membersMax ? grouped(shown, (part) => part) : shown
  }
  const members = Object.entries(value).map(([name, one]): [string, unknown] => [
    visibleText(name),
    shownJson(one, depth + 1),
  ])
  return members.length > membersMax
    ? grouped(members, (part) => fromMembers(part))
    : fromMembers(members)
}

/** Returns the number of values in it, counted up to `max`. */
export function sizeOfJson(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  for (const one of Object.values(value)) {
    if (size >= max) break
    size += sizeOfJson(one, max - size)
  }
  return size
}

function grouped<T>(members: T[], show: (part: T[]) => unknown): unknown {
  const groups: [string, unknown][] = []
  for (let from = 0; from < members.length; from += membersMax) {
    const part = members.slice(from, from + membersMax)
    groups.push([`${from} to ${from + part.length - 1}`, show(part)])
  }
  return fromMembers(groups)
}

/** Without a prototype, so that a member such as `__proto__` is stored like any other. */
function fromMembers(members: [string, unknown][]): object {
  const shown = Object.create(null) as Record<string, unknown>
  for (const [name, value] of members) shown[name] = value
  return shown
}

function shownString(text: string): string {
  const more = text.length - stringCharsMax
  return more > 0
    ? `${visibleText(text.slice(0, stringCharsMax))}… ${more.toLocaleString('en')} more characters`
    : visibleText(text)
}
