/**
 * Detects values that are secret by their form (K2), and those that can be masked without hiding
 * harmless text (K3).
 */
import { existsSync } from 'node:fs'

/** Prefixes that providers gave their keys so that scanners find them. */
const providerKey =
  /^(?:sk-[\w-]{16,}|(?:sk|rk|pk)_(?:live|test)_\w{10,}|whsec_\w{16,}|gh[opsur]_\w{30,}|github_pat_\w{30,}|gl(?:pat|ptt|dt|rt|cbt|ft|soat)-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_\w{30,}|pypi-[\w-]{16,}|hf_\w{20,}|gsk_\w{20,}|xai-\w{20,}|r8_\w{20,}|do[opr]_v1_\w{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ss|ca|pa)_\w{20,}|dckr_pat_[\w-]{20,}|hv[sb]\.[\w-]{20,}|lin_api_\w{20,}|ntn_\w{20,}|secret_\w{30,}|sntrys_[\w+/=.-]{20,}|AGE-SECRET-KEY-\w{20,})$/
const pem = /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----/
const jwt = /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*$/
const passwordInUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i

/** A token in place of a name: `https://ghp_…@github.com/`. */
const nameInUrl = /^[a-z][a-z0-9+.-]*:\/\/([^/\s:@]+)(?::x-oauth-basic)?@/i

/** Reports whether a value is a provider's key, a private key, a JSON web token, or a URL with credentials. */
export function hasSecretForm(value: string): boolean {
  const text = value.trim()
  return (
    providerKey.test(text) ||
    pem.test(text) ||
    jwt.test(text) ||
    passwordInUrl.test(text) ||
    tokenInUrl(text) !== null
  )
}

function tokenInUrl(text: string): string | null {
  const name = nameInUrl.exec(text)?.[1]
  return name !== undefined && providerKey.test(name) ? name : null
}

/** Shorter values occur by chance. */
const valueCharsMin = 8
const lineCharsMin = 16
/** A longer text of one case is not treated as a plain word. */
const wordCharsMax = 16

/**
 * Returns the parts of a secret value that are searched for: the value, the password of a URL, the
 * lines of a key that has several. Excludes a path, a number, a plain word and a bare address,
 * which would be masked in harmless text.
 */
export function searchedParts(value: string): string[] {
  const text = value.trim()
  const lines = text.split(/\r?\n|\\n/)
  if (lines.length > 1) {
    return lines
      .map((line) => line.trim())
      .filter((line) => line.length >= lineCharsMin && !/^-----/.test(line) && isDistinctive(line))
  }
  const password = passwordInUrl.exec(text)?.[1] ?? tokenInUrl(text) ?? undefined
  return [text, ...(password === undefined ? [] : [password, decoded(password)])].filter(
    (part, at, all) =>
      part.length >= valueCharsMin && isDistinctive(part) && all.indexOf(part) === at,
  )
}

function isDistinctive(text: string): boolean {
  if (/^[\d.,:_+\s-]+$/.test(text)) return false
  if (text.length <= wordCharsMax && /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(text)) return false
  if (/^[a-z][a-z0-9+.-]*:\/\/[^@?]*$/i.test(text)) return false
  return !isPath(text)
}

/** A base64 key may begin with a slash too, so a path is recognized by its existence. */
function isPath(text: string): boolean {
  if (/^(?:~|\.{1,2})[\\/]|^[A-Za-z]:[\\/]/.test(text)) return true
  const [, first] = /^\/([^/]+)/.exec(text) ?? []
  return first !== undefined && existsSync(`/${first}`)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
