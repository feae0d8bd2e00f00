/**
 * Masks private data in the texts and records of an export (K4): values that look like secrets, known secrets, and the
 * user's home directory and name. A hit is a distinct value. The user may keep a hit, which applies to all its
 * occurrences.
 */
import { createHash } from 'node:crypto'
import type { RedactionHit, RedactionKind } from '../../../shared/contract/exports.ts'
import { isNamedSecret } from '../../secrets/named-values.ts'
import { findSecretPatterns } from '../../secrets/redact-patterns.ts'
import { createFindPersonal, type Person } from './personal-paths.ts'

/** The location of a text, for the places that a hit lists. */
interface TextPlace {
  taskId: RedactionHit['places'][number]['taskId']
  /** Null: in the task's metadata, not in its transcript. */
  seq: number | null
}

export interface Redactor {
  text(text: string, place: TextPlace): string
  /** Masks texts, but not identifiers and structural fields. Returns `value` itself if nothing was masked. */
  value<Value>(value: Value, place: TextPlace): Value
  /** Most frequent first, at most `hitsMax`; `masked` counts the places that were masked. */
  result(): { hits: RedactionHit[]; moreHits: number; masked: number }
}

/** Limits the list to a readable length. */
const hitsMax = 500
const placesMax = 5
const contextChars = 60
const shownMatchCharsMax = 200

export function createRedactor({
  person,
  maskKnown,
  keep,
}: {
  person: Person
  /** Masks the secrets that Shiplog stores. The user can't choose to keep these. */
  maskKnown: (text: string) => string
  /** Ids of the hits that stay as they are. */
  keep: ReadonlySet<string>
}): Redactor {
  const findPersonal = createFindPersonal(person)
  const hits = new Map<string, RedactionHit>()
  let moreHits = 0
  let masked = 0

  function note(
    kind: RedactionKind,
    source: string,
    { start, end, mark }: { start: number; end: number; mark: string },
    place: TextPlace,
  ): boolean {
    const match = source.slice(start, end)
    const id = hitId(kind, match)
    const isKept = keep.has(id)
    if (!isKept) masked++
    const known = hits.get(id)
    if (!known && hits.size >= hitsMax) {
      moreHits++
      return isKept
    }
    const hit: RedactionHit = known ?? {
      id,
      kind,
      mark,
      kept: isKept,
      count: 0,
      places: [],
      match: match.length > shownMatchCharsMax ? `${match.slice(0, shownMatchCharsMax)}…` : match,
    }
    hit.count++
    if (hit.places.length < placesMax)
      hit.places.push({
        ...place,
        before: source.slice(Math.max(0, start - contextChars), start).toWellFormed(),
        after: source.slice(end, end + contextChars).toWellFormed(),
      })
    hits.set(id, hit)
    return isKept
  }

  function text(given: string, place: TextPlace, name?: string): string {
    const known = maskKnown(given)
    if (known !== given) masked++
    // The name of the field marks the value as a secret.
    if (name !== undefined && known.length >= namedCharsMin && isNamedSecret(name, known, quoted)) {
      const mark = `[hidden: ${name}]`
      return note('named', known, { start: 0, end: known.length, mark }, place) ? known : mark
    }
    if (isId(known)) return known
    const secrets = findSecretPatterns(known)
    const personal = findPersonal(known).filter(
      ({ start, end }) => !secrets.some((one) => start < one.end && one.start < end),
    )
    const found = [...secrets, ...personal].sort((a, b) => a.start - b.start)
    let redacted = ''
    let at = 0
    for (const one of found) {
      if (note(one.kind, known, one, place)) continue
      redacted += known.slice(at, one.start) + one.mark
      at = one.end
    }
    return at === 0 ? known : redacted + known.slice(at)
  }

  function value<Value>(given: Value, place: TextPlace, name?: string): Value {
    if (typeof given === 'string') return text(given, place, name) as Value
    if (typeof given !== 'object' || given === null) return given
    if (Array.isArray(given)) {
      const items = given.map((item) => value(item, place))
      return items.every((item, at) => item === given[at]) ? given : (items as Value)
    }
    const before = Object.entries(given)
    const after = before.map(([key, item]): [string, unknown] =>
      structural.has(key) && typeof item === 'string'
        ? [key, item]
        : [text(key, place), value(item, place, key)],
    )
    const isSame = after.every(
      ([key, item], at) => key === before[at]?.[0] && item === before[at]?.[1],
    )
    return isSame ? given : (Object.fromEntries(after) as Value)
  }

  return {
    text: (given, place) => text(given, place),
    value: (given, place) => value(given, place),
    result: () => ({
      hits: [...hits.values()].sort((a, b) => b.count - a.count),
      moreHits,
      masked,
    }),
  }
}

/** A hash of the value, so that a command line can refer to the hit without containing the value. */
const hitId = (kind: RedactionKind, match: string): string =>
  createHash('sha256').update(`${kind}\0${match}`).digest('hex').slice(0, 12)

const quoted = { between: '"', after: '"' }
/** Shorter values are usually words, such as `auth: none`. */
const namedCharsMin = 8

/** Fields with keywords of the format, which must not be masked even if they equal the user's name. */
const structural: ReadonlySet<string> = new Set(
  'type role status reason outcome kind name by agent uuid parentUuid callId sha256'.split(' '),
)

/** Ids and hashes, which never contain secrets. */
const isId = (text: string): boolean =>
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/\d+)?|[0-9a-f]{40}|[0-9a-f]{64})$/.test(
    text,
  )
