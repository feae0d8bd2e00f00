/**
 * Replaces known secret values by a mark with their name, `[hidden: STRIPE_KEY]`, before anything is written (K3):
 * also URL-encoded, in JSON, in base64 at any alignment, and split over the pieces of a stream. It guards against
 * accidental output; any other transformation of a value is not detected.
 */
import type { Masker, MaskStream } from '../../shared/agents/driver/masker.ts'
import { createFinder, type Finder, type Found, type Pattern } from './find-values.ts'
import { searchedParts } from './secret-values.ts'

export interface KnownSecret {
  name: string
  value: string
  /**
   * A file of the project, or an agent's command, contains it: its author could name part of
   * a command so, to hide it in the request for permission.
   */
  isOfProject?: boolean
}

export interface LearningMasker extends Masker {
  /** Masks these from now on too. Skips values that can't be distinguished from harmless text. */
  learn(secrets: Iterable<KnownSecret>): void
}

export function createMasker(): LearningMasker {
  const all = createValues()
  const ofUser = createValues()
  return {
    ...all,
    learn(secrets) {
      const learnt = [...secrets]
      all.learn(learnt)
      ofUser.learn(learnt.filter(({ isOfProject = false }) => !isOfProject))
    },
    asked: ofUser.value,
  }
}

function createValues(): Omit<LearningMasker, 'asked'> {
  /** The name for each searched text; the first name wins. */
  const known = new Map<string, string>()
  let finders: Finder[] | null = []

  function learn(secrets: Iterable<KnownSecret>): void {
    for (const { name, value } of secrets) {
      for (const part of searchedParts(value)) {
        if (known.has(part)) continue
        known.set(part, name)
        finders = null
      }
    }
  }

  function currentFinders(): Finder[] {
    finders ??= [
      createFinder(patternsOf(known, textForms), { acrossLines: false }),
      createFinder(patternsOf(known, base64Forms), { acrossLines: true }),
    ]
    return finders
  }

  function findIn(text: string): { found: Found[]; openFrom: number } {
    const results = currentFinders().map((finder) => finder.find(text))
    return {
      found: results
        .flatMap(({ found }) => found)
        .sort((a, b) => a.start - b.start || b.end - a.end),
      openFrom: Math.min(text.length, ...results.map(({ openFrom }) => openFrom)),
    }
  }

  function text(given: string): string {
    const { found } = findIn(given)
    return found.length === 0 ? given : replaced(given, found)
  }

  function value<Value>(given: Value): Value {
    if (known.size === 0) return given
    if (typeof given === 'string') return text(given) as Value
    if (Array.isArray(given)) return given.map((item) => value(item)) as Value
    if (typeof given !== 'object' || given === null) return given
    const entries = Object.entries(given).map(([key, item]) => [text(key), value(item)])
    return Object.fromEntries(entries)
  }

  function stream(): MaskStream {
    let pending = ''
    return {
      push(piece) {
        const whole = pending + piece
        const { found, openFrom } = findIn(whole)
        let until = openFrom
        // A match that extends beyond this point, or overlaps such a match, waits too.
        for (const one of found.toReversed())
          if (one.end > until) until = Math.min(until, one.start)
        pending = whole.slice(until)
        const complete = found.filter(({ end }) => end <= until)
        return replaced(whole.slice(0, until), complete)
      },
      end() {
        const rest = text(pending)
        pending = ''
        return rest
      },
    }
  }

  return { learn, text, value, stream }
}

/**
 * Replaces the matches in `found`, which is sorted by start. Overlapping ones become one mark, with
 * the name of the first and longest.
 */
function replaced(text: string, found: Found[]): string {
  const pieces: string[] = []
  let at = 0
  for (let next = 0; next < found.length; ) {
    const { start, name, ...first } = found[next++] as Found
    let { end } = first
    for (let one = found[next]; one && one.start < end; one = found[++next])
      end = Math.max(end, one.end)
    pieces.push(text.slice(at, start), markOf(name))
    at = end
  }
  pieces.push(text.slice(at))
  return pieces.join('')
}

const markOf = (name: string): string => `[hidden: ${name}]`

function patternsOf(known: Map<string, string>, formsOf: (value: string) => string[]): Pattern[] {
  return [...known].flatMap(([value, name]) => formsOf(value).map((text) => ({ text, name })))
}

function textForms(value: string): string[] {
  const url = urlEncoded(value)
  const forms = [value, url, url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]
  forms.push(url.replaceAll('%20', '+'), JSON.stringify(value).slice(1, -1))
  return [...new Set(forms)]
}

/** A lone surrogate can't be encoded and occurs in no URL. */
function urlEncoded(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    return value
  }
}

/** A key of several lines is searched line by line; for longer values this prefix is sufficient. */
const base64ValueCharsMax = 1024

/**
 * The base64 of a longer text depends on the position of the value modulo three bytes. Returns for
 * each position the characters that encode only bytes of the value.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value.slice(0, base64ValueCharsMax))
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const begin = Math.ceil((offset * 8) / 6)
    return encoded.slice(begin, Math.floor(((offset + bytes.length) * 8) / 6))
  })
  const urlSafe = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...new Set([...forms, ...urlSafe])]
}
