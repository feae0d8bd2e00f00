import { isAlias, isMap, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import { scenarioBytesMax } from '../../../shared/agents/agent-specs.ts'
import { type Place, ScenarioError } from './scenario.ts'

/** A few aliases can expand to billions of values. */
const aliasesMax = 500

export interface ReadYaml {
  /** Plain values. A map of the file is an object, whose number-like keys come first. */
  value: unknown
  /** The keys of a map, in the order of the file. */
  keysAt(path: PropertyKey[]): string[]
  /** The position of the key or item at `path`, or of the nearest existing one above it. */
  placeOf(path: PropertyKey[]): Place & { offset: number }
}

/** Reads one YAML document. Throws a `ScenarioError` for what is malformed, repeated or excessive. */
export function readYaml(text: string, file: string): ReadYaml {
  if (Buffer.byteLength(text) > scenarioBytesMax)
    throw new ScenarioError({ file, line: 1 }, 'file', `is larger than ${scenarioBytesMax} bytes`)
  refuseBinary(text, file)
  const lineCounter = new LineCounter()
  const placeAt = (offset: number) => ({
    file,
    line: lineCounter.linePos(offset).line || 1,
    offset,
  })
  function refuse(offset: number, problem: string): never {
    const at = placeAt(offset)
    throw new ScenarioError(at, keyNear(text, at.line), problem)
  }

  const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true })
  const [error] = document.errors
  if (error)
    refuse(error.pos[0], problemByCode[error.code] ?? `malformed YAML: ${shortened(error.message)}`)
  let lastAlias = 0
  visit(document, {
    Alias(_key, alias, path) {
      const offset = alias.range?.[0] ?? 0
      const target = alias.resolve(document)
      if (!target) refuse(offset, `nothing is named &${alias.source}`)
      if (path.includes(target)) refuse(offset, `*${alias.source} stands within &${alias.source}`)
      lastAlias = offset
    },
  })

  /** The existing nodes along `path`, and the position of the last one. */
  function walk(path: PropertyKey[]) {
    let node: unknown = document.contents
    let offset = document.contents?.range?.[0] ?? 0
    for (const part of path) {
      if (isAlias(node)) node = node.resolve(document)
      const pair = isMap(node) ? node.items.find(({ key }) => String(key) === part) : undefined
      const found = isSeq(node) ? node.items[Number(part)] : pair?.key
      if (found === undefined) break
      offset = (found as { range?: [number, number, number] }).range?.[0] ?? offset
      node = pair ? pair.value : found
    }
    return { node: isAlias(node) ? node.resolve(document) : node, offset }
  }

  return {
    value: withinBounds(() => document.toJS({ maxAliasCount: aliasesMax })),
    keysAt(path) {
      const { node } = walk(path)
      return isMap(node) ? node.items.map(({ key }) => String(key)) : []
    },
    placeOf: (path) => placeAt(walk(path).offset),
  }

  function withinBounds(read: () => unknown): unknown {
    try {
      return read()
    } catch {
      return refuse(lastAlias, `holds too much: there are more than ${aliasesMax} aliases in it`)
    }
  }
}

const problemByCode: Record<string, string> = {
  DUPLICATE_KEY: 'is there twice',
  NON_STRING_KEY: 'a key must be a word',
}

/** Rejects binary content without quoting it, as a YAML syntax error would. YAML does not allow it either. */
function refuseBinary(text: string, file: string): void {
  const at = text.search(noText)
  if (at < 0) return
  const line = text.slice(0, at).split('\n').length
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
  throw new ScenarioError(
    { file, line },
    'file',
    `is not a text file in UTF-8: it holds the character U+${code}`,
  )
}

const noText = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F]/

/** Parts of the file that a message quotes, no longer than can be read. */
export function shortened(message: string): string {
  const characters = [...message]
  return characters.length > quotedCharsMax
    ? `${characters.slice(0, quotedCharsMax - 1).join('')}…`
    : message
}

const quotedCharsMax = 120

/** The last key at or before a line: the nearest one to a syntax error. */
function keyNear(text: string, line: number): string {
  const lines = text.split('\n').slice(0, line)
  for (const candidate of lines.reverse()) {
    const [, key] = /^[\s-]*["']?([\w.-]+)["']?\s*:/.exec(candidate) ?? []
    if (key) return key
  }
  return 'file'
}
