/** Tells values that follow the name of a secret from code and placeholders (K4), which show nothing of a secret. */
import { isSecretName } from './secret-names.ts'

interface Assigned {
  /** The text from the name to the value, such as ` = "`. */
  between: string
  /** The text after the value. */
  after: string
}

/** Reports whether the name marks the value as a secret: `API_KEY=…`, but not `token = options.token`. */
export function isNamedSecret(name: string, value: string, { between, after }: Assigned): boolean {
  if (!isSecretName(name) || isPlaceholder(value) || isReference(value)) return false
  if (/tokens$/i.test(name) && /^[\d_]+$/.test(value)) return false
  if (isWeakName(name) && !hasKeyForm(value)) return false
  return isQuoted(between) || !isCode(name, value, { between, after })
}

const isQuoted = (between: string): boolean => /["']$/.test(between)

/** Masked before it was written, a stand-in, or a constant of the browser's interface. */
const isPlaceholder = (value: string): boolean =>
  value.startsWith('[hidden:') ||
  /^([*x•.#-])\1+$/i.test(value) ||
  /^<[a-z][\w -]*>$/i.test(value) ||
  /^your[_-]/i.test(value) ||
  value === 'same-origin'

const path = '[A-Za-z_$][\\w$]*(?:\\??\\.[A-Za-z_$][\\w$]*)*'
/** Variables of a shell (without a default), of a template and of the environment. */
const references = [
  /^\$[A-Z_][A-Z0-9_]*$/,
  /^\$\{\w+(?::?[-=?+])?\}?$/,
  /^\$\(/,
  new RegExp(`^\\{${path}\\}?$`),
  /^(?:process\.env|import\.meta\.env)\b/,
  /^(?:os\.environ\b|os\.getenv\(|System\.(?:getenv|get_env|fetch_env!?)\(|Deno\.env\b|ENV\[|(?:std::)?env::var\()/,
]
const isReference = (value: string): boolean => references.some((one) => one.test(value))

/**
 * `key: "menu.open"`, `sort_key: created_at`: keys that are mostly no secrets. In capitals it is a variable of the
 * environment, whose name is chosen with more care.
 */
const isWeakName = (name: string): boolean =>
  /keys?$/i.test(name) &&
  name !== name.toUpperCase() &&
  !/(?:api|access|secret|private|encryption|signing|auth|master|deploy|license|ssh|host)[_-]?keys?$/i.test(
    name,
  )

/** Has digits, as random keys have unless they are short, or is a long run of letters of both cases. */
const hasKeyForm = (value: string): boolean =>
  /\d/.test(value) || (/[A-Za-z+/]{20,}/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value))

const callOrItem = new RegExp(`^${path}(?:\\(|\\[(?:$|:|["']|\\d+\\]|${path}\\]))`)
const identifiers = new RegExp(`^${path};?\\)?;?$`)
/** A type: `Option<String>`. */
const generic = /^[A-Z][A-Za-z]*<[A-Za-z]/

/** Spaces, as no shell allows and as programs are formatted: a call, an item, a variable of that name, a type, an operand. */
function isCode(name: string, value: string, { between, after }: Assigned): boolean {
  if (!/^\s+=\s+$|^:\s+$/.test(between)) return false
  if (callOrItem.test(value) || generic.test(value)) return true
  if (!identifiers.test(value) || /\d/.test(value)) return false
  return /^\s+(?:\|\||\?\?|&&)\s/.test(after) || isVariableOf(name, value)
}

/** `options.token`, `csrfToken` and `user_token` for `token`; a capital at the start is more likely a password. */
const isVariableOf = (name: string, value: string): boolean =>
  /^[a-z_$]/.test(value) && lastWord(value) === lastWord(name)

function lastWord(name: string): string | undefined {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').match(/[A-Za-z]+/g)
  return words?.at(-1)?.toLowerCase()
}
