import { isNamedSecret } from './named-values.ts'
import { isSecretName } from './secret-names.ts'
import { hasSecretForm } from './secret-values.ts'

/** A part of a text that looks like a secret. */
interface SecretPattern {
  start: number
  /** Exclusive. */
  end: number
  kind: 'private-key' | 'credentials' | 'named' | 'key'
  /** The text that replaces it. */
  mark: string
}

/** Up to the end of the key, or of a text that was truncated in the middle of one. */
const pemBlocks =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g
// Names and schemes are bounded and begin at a boundary: otherwise a long run of their characters takes quadratic time.
const urlCredentials = /(?<![a-z+.-])([a-z][a-z0-9+.-]{0,40}:\/\/)([^/\s"'`@]+)@/gi
/** A name and what separates it from its value. In JSON within a text, quotes are escaped. */
const names = /(?<![\w.-])([\w.-]{1,128})(\\{0,3}["']?\s{0,20}[=:]\s{0,20}\\{0,3}["']?)/g
/** Ends at a quote, also an escaped one, and at the next field of a query. */
const namedValue = /(?:[^\s"'`,;&\\]|\\(?!\\{0,2}["'])|&(?![\w.-]{1,128}=))*/y
/** Shorter values are usually words, such as `auth: none`. */
const valueCharsMin = 8
/** The beginning of a longer value shows whether it is code. */
const judgedCharsMax = 128
/** Enough for an operator after a value, and the spaces around it. */
const operatorCharsMax = 8
/** A run of key characters, without a full stop at its end. */
const tokens = /\w[\w.~+-]{6,}\w/g

/**
 * Finds text that looks like a secret (K4): keys with the prefixes of providers, private keys, JSON web tokens,
 * credentials in URLs, and the values of variables with a secret's name. In order; no two overlap.
 */
export function findSecretPatterns(text: string): SecretPattern[] {
  const found: SecretPattern[] = []
  const add = (start: number, length: number, kind: SecretPattern['kind'], mark: string) =>
    found.push({ start, end: start + length, kind, mark })
  for (const { index, 0: block } of text.matchAll(pemBlocks))
    add(index, block.length, 'private-key', '[hidden: private key]')
  for (const { index, 1: scheme = '', 2: credentials = '' } of text.matchAll(urlCredentials))
    if (!isMark(credentials))
      add(index + scheme.length, credentials.length, 'credentials', '[hidden: credentials]')
  let end = 0
  for (const { index, 0: before, 1: name = '', 2: between = '' } of text.matchAll(names)) {
    // Searched in the values of other names as well: `command: "API_KEY=…"`, `https://host/?token=…`.
    if (!isSecretName(name)) continue
    const start = index + before.length
    // A value that begins in another one ends with it, which spares reading it again.
    if (start >= end) end = endOfValue(text, start)
    if (end - start < valueCharsMin) continue
    const value = text.slice(start, Math.min(end, start + judgedCharsMax))
    if (isNamedSecret(name, value, { between, after: text.slice(end, end + operatorCharsMax) }))
      add(start, end - start, 'named', `[hidden: ${name}]`)
  }
  for (const { index, 0: token } of text.matchAll(tokens))
    if (hasSecretForm(token)) add(index, token.length, 'key', '[hidden: key]')
  return withoutOverlaps(found)
}

/** Redacts text that looks like a secret. For texts outside the record: log lines. */
export function redactPatterns(text: string): string {
  let redacted = ''
  let at = 0
  for (const { start, end, mark } of findSecretPatterns(text)) {
    redacted += text.slice(at, start) + mark
    at = end
  }
  return redacted + text.slice(at)
}

/** A value that was masked before it was written. */
const isMark = (value: string): boolean => value.startsWith('[hidden:')

function endOfValue(text: string, start: number): number {
  namedValue.lastIndex = start
  return namedValue.test(text) ? namedValue.lastIndex : start
}

/** Overlapping ones become one, with the mark of the first. */
function withoutOverlaps(found: SecretPattern[]): SecretPattern[] {
  const inOrder = found.sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: SecretPattern[] = []
  for (const one of inOrder) {
    const last = kept.at(-1)
    if (last && one.start < last.end) last.end = Math.max(last.end, one.end)
    else kept.push({ ...one })
  }
  return kept
}
