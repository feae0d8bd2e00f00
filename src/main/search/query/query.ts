/**
 * Parses queries: words, "phrases", `this OR that`, -words, and filters such as `tool:bash is:error file:src/a.ts`. Pure.
 * A word matches any part of a word in the text.
 */
import {
  isFilterWithoutValue,
  type SearchFilter,
  type SearchKind,
  searchKinds,
} from '../../../shared/contract/search.ts'
import { dayMs, hourMs } from '../../../shared/durations.ts'
import { FailureError } from '../../../shared/failure.ts'
import { type RecordSource, recordSourceSchema } from '../../../shared/records/exported-tasks.ts'
import { type TaskStatus, taskStatusSchema } from '../../../shared/records/tasks/task-status.ts'
import { nearestText } from '../../../shared/text/nearest-text.ts'

export interface Term {
  text: string
  /** Quoted: matches whole words, in this order. */
  isPhrase: boolean
}

/** Values of `is:` in addition to task statuses. */
const flags = ['error', 'archived', 'live', 'pinned', 'imported'] as const
type Flag = (typeof flags)[number]

export interface Query {
  /** All of them must match; each is a list of alternatives, one unless the query has an OR. */
  terms: Term[][]
  /** With `isPattern`: a case-insensitive regular expression, which replaces the terms; else null. */
  pattern: string | null
  excluded: Term[]
  /** Filters with the same key are alternatives; different keys must all match. Texts as typed. */
  tools: string[]
  files: string[]
  models: string[]
  projects: string[]
  sources: RecordSource[]
  agents: string[]
  /** Ids of tasks, or prefixes of them. */
  tasks: string[]
  kinds: SearchKind[]
  flags: Flag[]
  statuses: TaskStatus[]
  /** Milliseconds since the epoch; `after` is inclusive, `before` exclusive; null: no bound. */
  after: number | null
  before: number | null
}

/**
 * `isPattern`: everything except the filters is one regular expression. `nowMs`: milliseconds since the epoch. Throws
 * FailureError (invalid, field `query`) for an invalid filter value or regular expression.
 */
export function parseQuery(text: string, nowMs: number, { isPattern = false } = {}): Query {
  const query: Query = {
    terms: [],
    pattern: null,
    excluded: [],
    tools: [],
    files: [],
    models: [],
    projects: [],
    sources: [],
    agents: [],
    tasks: [],
    kinds: [],
    flags: [],
    statuses: [],
    after: null,
    before: null,
  }
  let pattern = ''
  /** What is before the current piece: a word or phrase, or the key of a filter. */
  let before: string | null = null
  let isAfterOr = false
  for (const { whole, minus = '', key, quoted, plain = '' } of piecesOf(text)) {
    const value = quoted ?? plain
    const filter = minus === '' ? filters.get(key ?? '') : undefined
    if (filter && value !== '') {
      filter(query, value, nowMs)
      if (isAfterOr && before !== key) throw notAlternatives()
      before = key ?? null
      isAfterOr = false
      continue
    }
    // As the first word it joins nothing, so it is looked for. At the end, its second word is still to be typed.
    if (!isPattern && before !== null && whole.trim() === 'OR') {
      isAfterOr = true
      continue
    }
    pattern += whole
    if (isPattern || value === '') continue
    // An unfinished filter is ignored while it is typed; as a word it would match nothing.
    if (quoted === undefined && isFilterWithoutValue(whole.trim())) continue
    // An unknown key, such as the `https:` of a URL, is part of a word.
    const term = {
      text: `${key === undefined ? '' : `${key}:`}${value}`,
      isPhrase: quoted !== undefined,
    }
    if (isAfterOr && (before !== word || minus !== '')) throw notAlternatives()
    if (minus !== '') query.excluded.push(term)
    else if (isAfterOr) query.terms.at(-1)?.push(term)
    else query.terms.push([term])
    before = minus === '' ? word : excludedWord
    isAfterOr = false
  }
  if (isPattern) query.pattern = checkedPattern(pattern.trim())
  return query
}

function checkedPattern(pattern: string): string | null {
  try {
    new RegExp(pattern, 'iu')
    return pattern === '' ? null : pattern
  } catch (error) {
    throw invalid(`${pattern} is not a regular expression: ${(error as Error).message}.`)
  }
}

/** What may be before an OR, besides a filter. */
const word = ''
const excludedWord = '-'

const notAlternatives = (): FailureError =>
  invalid(
    'OR joins two words or "phrases". Several filters of one kind, such as tool:bash tool:edit, are alternatives anyway.',
  )

const piece = /\s*(?<minus>-)?(?:(?<key>[a-z]+):)?(?:"(?<quoted>[^"]*)(?:"|$)|(?<plain>[^\s"]+))/gu

interface Piece {
  /** Includes the preceding space. */
  whole: string
  minus?: string
  key?: string
  quoted?: string
  plain?: string
}

const piecesOf = (text: string): Piece[] =>
  [...text.matchAll(piece)].map(({ 0: whole, groups }) => ({ ...groups, whole }))

type Filter = (query: Query, value: string, nowMs: number) => unknown

const filters = new Map<string, Filter>(
  Object.entries<Filter>({
    tool: (query, value) => query.tools.push(value),
    file: (query, value) => query.files.push(value),
    model: (query, value) => query.models.push(value),
    project: (query, value) => query.projects.push(value),
    source: (query, value) =>
      query.sources.push(oneOf('source', value, recordSourceSchema.options)),
    agent: (query, value) => query.agents.push(value),
    task: (query, value) => query.tasks.push(value),
    kind: (query, value) => query.kinds.push(oneOf('kind', value, searchKinds)),
    is: (query, value) => {
      const found = oneOf('is', value, [...flags, ...taskStatusSchema.options])
      if ((flags as readonly string[]).includes(found)) query.flags.push(found as Flag)
      else query.statuses.push(found as TaskStatus)
    },
    after: (query, value, nowMs) => {
      query.after = Math.max(query.after ?? 0, timeOf('after', value, nowMs))
    },
    before: (query, value, nowMs) => {
      query.before = Math.min(
        query.before ?? Number.POSITIVE_INFINITY,
        timeOf('before', value, nowMs),
      )
    },
  } satisfies Record<SearchFilter, Filter>),
)

function oneOf<Value extends string>(key: string, value: string, known: readonly Value[]): Value {
  const found = known.find((one) => one === value.toLowerCase())
  if (found !== undefined) return found
  const near = nearestText(value, known)
  const meant = near === null ? '' : ` Did you mean ${key}:${near}?`
  throw invalid(
    `${key}:${value} is not known.${meant} Use ${key}: with one of ${known.join(', ')}.`,
  )
}

const ago = /^(\d{1,4})(h|d|w|m|y)$/u
const agoMs = { h: hourMs, d: dayMs, w: 7 * dayMs, m: 30 * dayMs, y: 365 * dayMs }
const calendar = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/u

/** The start of a day, month or year in the local time zone, or a time before now. */
function timeOf(key: string, value: string, nowMs: number): number {
  const [, count, unit] = ago.exec(value) ?? []
  if (count !== undefined) return nowMs - Number(count) * agoMs[unit as keyof typeof agoMs]
  const [, year, month = '1', day = '1'] = calendar.exec(value) ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  const isReal = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day)
  if (year !== undefined && isReal) return date.getTime()
  throw invalid(
    `${key}:${value} is not a date. Write ${key}:2026-10-31, ${key}:2026-10, or ${key}:7d for seven days ago.`,
  )
}

const invalid = (message: string): FailureError =>
  new FailureError({ kind: 'invalid', field: 'query', message })
