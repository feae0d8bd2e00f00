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
const assignments = /(?<![\w.-])([\w.-]{1,128})(["']?\s{0,20}[=:]\s{0,20}["']?)([^\s"'`,;&]{8,})/g
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
  for (const { index, 1: name = '', 2: between = '', 3: value = '' } of text.matchAll(assignments))
    if (isSecretName(name) && !isMark(value) && !isCall(between, value))
      add(index + name.length + between.length, value.length, 'named', `[hidden: ${name}]`)
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

/** A program that computes the value, as in `token = createToken(user)`, shows nothing of it. */
const isCall = (between: string, value: string): boolean =>
  /^\s+=\s+$|^:\s+$/.test(between) && /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\(/.test(value)

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
