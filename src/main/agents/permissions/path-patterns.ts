/**
 * Matches paths against the patterns of rules. A repository may bring such patterns, and as regular expressions some take
 * longer than anyone waits (`+(+(a)|a)b`): here the time is bounded by the lengths of the pattern and of the path.
 */
import { matchesGlob } from 'node:path'

/**
 * Reports whether the pattern is about the whole path, which has `/` as separator. Unlike in a shell, `*` also matches
 * names that begin with a dot. Throws RangeError for a pattern of too many alternatives.
 */
export function pathMatches(pattern: string, path: string): boolean {
  const names = path.split('/')
  return alternativesOf(pattern).some((one) => namesMatch(one.split('/'), names))
}

/** More are not legible. */
const alternativesMax = 1_000

/** Returns the patterns that one with braces stands for. Throws RangeError for too many. */
export function alternativesOf(pattern: string): string[] {
  // A rule quotes by brackets: on Windows this is a slash.
  const found = expanded(pattern.replace(/[\\/]+/g, '/'))
  return [...new Set(found)]
}

function expanded(text: string): string[] {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    const group = text[at - 1] === '$' ? null : groupAt(text, at)
    if (group === null) continue
    const ends = expanded(text.slice(group.end))
    const all: string[] = []
    for (const middle of group.parts.flatMap(expanded))
      for (const end of ends) {
        all.push(text.slice(0, at) + middle + end)
        if (all.length > alternativesMax)
          throw new RangeError(`it stands for more than ${alternativesMax} patterns`)
      }
    return all
  }
  return [text]
}

/** Returns the parts of `{a,b}` or `{1..3}` that begins there; null if it is only a brace. */
function groupAt(text: string, from: number): { parts: string[]; end: number } | null {
  const parts: string[] = []
  let depth = 0
  let start = from + 1
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '{') depth++
    if (character === ',' && depth === 1) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
    if (character !== '}') continue
    depth--
    if (depth > 0) continue
    const last = text.slice(start, at)
    if (parts.length > 0) return { parts: [...parts, last], end: at + 1 }
    const range = rangeOf(last)
    return range && { parts: range, end: at + 1 }
  }
  return null
}

function rangeOf(text: string): string[] | null {
  const found = /^(-?\d{1,6})\.\.(-?\d{1,6})$|^([a-zA-Z])\.\.([a-zA-Z])$/.exec(text)
  if (!found) return null
  const [, from = '', to = '', first, last] = found
  const isLetters = first !== undefined && last !== undefined
  const [start, end] = isLetters
    ? [first.charCodeAt(0), last.charCodeAt(0)]
    : [Number(from), Number(to)]
  const count = Math.abs(end - start) + 1
  if (count > alternativesMax)
    throw new RangeError(`it stands for more than ${alternativesMax} patterns`)
  const isPadded = [from, to].some((one) => /^-?0\d/.test(one))
  const width = isPadded ? Math.max(from.length, to.length) : 0
  return Array.from({ length: count }, (_, at) => {
    const value = start + (end < start ? -at : at)
    if (isLetters) return String.fromCharCode(value)
    return value < 0
      ? `-${String(-value).padStart(width - 1, '0')}`
      : String(value).padStart(width, '0')
  })
}

function namesMatch(patterns: readonly string[], names: readonly string[]): boolean {
  let from = new Set([0])
  for (const [index, pattern] of patterns.entries()) {
    const isLast = index === patterns.length - 1
    if (pattern === '**') {
      const first = Math.min(...from)
      if (isLast) return first < names.length
      from = new Set(Array.from({ length: names.length + 1 - first }, (_, at) => first + at))
      continue
    }
    const parts = partsOf(pattern)
    from = new Set([...from].flatMap((at) => (nameMatches(parts, names[at]) ? at + 1 : [])))
    if (from.size === 0) return false
  }
  return from.has(names.length)
}

type Part =
  | { kind: 'text'; text: string }
  /** `?` or `[…]`. */
  | { kind: 'one'; test(character: string): boolean }
  /** `*` */
  | { kind: 'some' }
  /** `?(a|b)`, `*(a|b)`, `+(a|b)`, `@(a|b)`; `!(a|b)`: a text that is none of them. */
  | { kind: 'group'; sign: string; of: Part[][] }

function nameMatches(parts: readonly Part[], name: string | undefined): boolean {
  if (name === undefined) return false
  if (name === '') return parts.length === 0
  return isMatched(parts, { name, excluded: new Map() }, 0)
}

interface Matching {
  name: string
  /** For each `!( )`, where it can't begin: without it, several of them would take as long as a regular expression. */
  excluded: Map<Part, Map<number, boolean>>
}

const isMatched = (parts: readonly Part[], matching: Matching, from: number): boolean =>
  endsOf(parts, matching, new Set([from])).has(matching.name.length)

/** Returns where in the name the parts may end if they begin at one of `from`. `rest`: what follows them in the pattern. */
const endsOf = (
  parts: readonly Part[],
  matching: Matching,
  from: ReadonlySet<number>,
  rest: readonly Part[] = [],
): ReadonlySet<number> =>
  parts.reduce(
    (at, part, index) => endsOfPart(part, matching, at, [...parts.slice(index + 1), ...rest]),
    from,
  )

function endsOfPart(
  part: Part,
  matching: Matching,
  from: ReadonlySet<number>,
  rest: readonly Part[],
): ReadonlySet<number> {
  const { name } = matching
  const ends = new Set<number>()
  const toEnd = (first: number) => {
    for (let at = first; at <= name.length; at++) ends.add(at)
  }
  if (part.kind === 'some') toEnd(Math.min(...from))
  if (part.kind === 'text')
    for (const at of from) if (name.startsWith(part.text, at)) ends.add(at + part.text.length)
  if (part.kind === 'one')
    for (const at of from) if (at < name.length && part.test(name[at] ?? '')) ends.add(at + 1)
  if (part.kind !== 'group') return ends
  const { sign, of } = part
  if (sign === '!') {
    const first = [...from].filter((at) => !isExcluded(part, matching, at, rest))
    if (first.length > 0) toEnd(Math.min(...first))
    return ends
  }
  if (sign === '?' || sign === '*') for (const at of from) ends.add(at)
  let next: ReadonlySet<number> = from
  do {
    const found = of.flatMap((one) => [...endsOf(one, matching, next, rest)])
    next = new Set(found.filter((at) => !ends.has(at)))
    for (const at of next) ends.add(at)
  } while (next.size > 0 && (sign === '*' || sign === '+'))
  return ends
}

/** Whether one of the group and what follows it are the rest of the name: then nothing else may stand for it there. */
function isExcluded(
  group: Extract<Part, { kind: 'group' }>,
  matching: Matching,
  at: number,
  rest: readonly Part[],
): boolean {
  const known = matching.excluded.get(group) ?? new Map<number, boolean>()
  matching.excluded.set(group, known)
  const before = known.get(at)
  if (before !== undefined) return before
  const found = group.of.some((one) => isMatched([...one, ...rest], matching, at))
  known.set(at, found)
  return found
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? ''
    const closed = /[?*+@!]/.test(character) && pattern[at + 1] === '(' ? closeOf(pattern, at) : -1
    const set = character === '[' ? setAt(pattern, at) : null
    if (closed >= 0) {
      const of = alternativesIn(pattern.slice(at + 2, closed)).map(partsOf)
      parts.push({ kind: 'group', sign: character, of })
      at = closed + 1
    } else if (set) {
      parts.push(set.part)
      at = set.end
    } else {
      parts.push(
        character === '*'
          ? { kind: 'some' }
          : character === '?'
            ? { kind: 'one', test: () => true }
            : { kind: 'text', text: character },
      )
      at++
    }
  }
  return parts
}

/** Returns where the parenthesis after the sign is closed; -1 if it is not. */
function closeOf(pattern: string, from: number): number {
  let depth = 0
  for (let at = from + 1; at < pattern.length; at++) {
    if (pattern[at] === '(') depth++
    if (pattern[at] === ')') depth--
    if (depth === 0) return at
  }
  return -1
}

function alternativesIn(text: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (const [at, character] of [...text].entries()) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character !== '|' || depth > 0) continue
    found.push(text.slice(start, at))
    start = at + 1
  }
  return [...found, text.slice(start)]
}

/** `[a-c]`, `[!a]`, `[[:digit:]]`; null if it is only a bracket. */
function setAt(pattern: string, from: number): { part: Part; end: number } | null {
  const found = /^\[([!^]?)(\]?(?:\[:\w+:\]|[^\]])*)\]/.exec(pattern.slice(from))
  const [whole = '', not = '', content = ''] = found ?? []
  if (content === '') return null
  const tests: ((character: string) => boolean)[] = []
  for (const [, name, first, last, single] of content.matchAll(/\[:(\w+):\]|(.)-(.)|(.)/gsu)) {
    const named = classes[name ?? '']
    if (named) tests.push((one) => named.test(one))
    else if (first !== undefined && last !== undefined)
      tests.push((one) => one >= first && one <= last)
    else if (single !== undefined) tests.push((one) => one === single)
  }
  const isIn = (character: string) => tests.some((test) => test(character))
  const test = not === '' ? isIn : (character: string) => !isIn(character)
  return { part: { kind: 'one', test }, end: from + whole.length }
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /^[\p{L}\p{Nl}\p{Nd}]$/u,
  alpha: /^[\p{L}\p{Nl}]$/u,
  digit: /^\p{Nd}$/u,
  lower: /^\p{Ll}$/u,
  upper: /^\p{Lu}$/u,
  punct: /^\p{P}$/u,
  space: /^[\p{Z}\t\r\n\v\f]$/u,
  word: /^[\p{L}\p{Nl}\p{Nd}\p{Pc}]$/u,
  xdigit: /^[A-Fa-f0-9]$/,
}

/** Reports whether a pattern in which `*` is any text is about the whole text. */
export function textMatches(pattern: string, text: string): boolean {
  const [start = '', ...others] = pattern.split('*')
  const end = others.pop()
  if (end === undefined) return text === pattern
  if (text.length < start.length + end.length) return false
  if (!text.startsWith(start) || !text.endsWith(end)) return false
  let at = start.length
  return others.every((one) => {
    const found = text.slice(0, text.length - end.length).indexOf(one, at)
    at = found + one.length
    return found >= 0
  })
}

/** Longer ones are too large for a regular expression, or slow. */
const shellPatternCharsMax = 500

/** Reports whether the shell may replace a pattern of a command by this path. Names that begin with a dot are not matched by `*`. */
export function mayExpandTo(pattern: string, path: string): boolean {
  try {
    return pattern.length > shellPatternCharsMax || matchesGlob(path, pattern)
  } catch {
    return true
  }
}
