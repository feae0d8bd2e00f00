/** A patch of many files as one patch a file, by its path after the change. Pure. */
export function splitPatch(patch: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const path = pathOf(part)
    if (path !== null) files.set(path, part)
  }
  return files
}

/** The new path; the old one of a file that is gone. Null for what is no part of a patch. */
function pathOf(part: string): string | null {
  const added = named(part, /^\+\+\+ (.+?)\t?$/m, 'b/')
  if (added !== null) return added
  const removed = named(part, /^--- (.+?)\t?$/m, 'a/')
  if (removed !== null) return removed
  // No lines changed: a rename, a new mode, or a binary file.
  const renamed = /^rename to (.+)$/m.exec(part)?.[1]
  if (renamed !== undefined) return unquoted(renamed)
  const header = /^diff --git (?:"a\/.*" "b\/(.*)"|a\/.* b\/(.*))$/m.exec(part)
  return header?.[1] ?? header?.[2] ?? null
}

function named(part: string, line: RegExp, prefix: string): string | null {
  const found = line.exec(part)?.[1]
  if (found === undefined || found === '/dev/null') return null
  const path = unquoted(found)
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

/** Git writes unusual names as C strings, their bytes in octal. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: number[] = []
  const encoder = new TextEncoder()
  const text = name.slice(1, -1)
  for (const [token] of text.matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)) {
    if (/^\\[0-7]{3}$/.test(token)) bytes.push(Number.parseInt(token.slice(1), 8))
    else if (token.startsWith('\\')) bytes.push(...encoder.encode(escapes[token] ?? token.slice(1)))
    else bytes.push(...encoder.encode(token))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

/** Those of C that are not the character itself, as `\"` and `\\` are. */
const escapes: Record<string, string> = {
  '\\a': '\x07',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\v': '\v',
}
