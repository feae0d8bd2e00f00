/** YAML as plain values that know their lines, so that whatever refuses one can say where it stands. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { scenarioBytesMax } from '../../../shared/agents.ts'
import { type Json, type Place, ScenarioError } from './scenario.ts'

/** A few aliases can stand for billions of values: what they expand to counts. */
const valuesMax = 50_000
const depthMax = 40

export type Located = LocatedMap | LocatedList | LocatedScalar

export interface LocatedMap {
  kind: 'map'
  at: Place
  /** In the order of the file. */
  entries: Map<string, { at: Place; value: Located }>
}

interface LocatedList {
  kind: 'list'
  at: Place
  items: Located[]
}

interface LocatedScalar {
  kind: 'scalar'
  at: Place
  value: string | number | boolean | null
}

/** Reads one YAML document. Throws a `ScenarioError` for what is malformed, repeated or excessive. */
export function readYaml(text: string, file: string): Located {
  if (Buffer.byteLength(text) > scenarioBytesMax)
    throw new ScenarioError({ file, line: 1 }, 'file', `is larger than ${scenarioBytesMax} bytes`)
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    // `locate` refuses them, naming the key.
    uniqueKeys: false,
  })
  const placeOf = (offset: number): Place => ({ file, line: lineCounter.linePos(offset).line || 1 })
  const [error] = document.errors
  if (error) {
    const at = placeOf(error.pos[0])
    throw new ScenarioError(at, keyNear(text, at.line), `malformed YAML: ${error.message}`)
  }
  return locate(document, placeOf, text)
}

/** The value without its places. */
export function plainValue(located: Located): Json {
  switch (located.kind) {
    case 'scalar':
      return located.value
    case 'list':
      return located.items.map(plainValue)
    case 'map':
      return Object.fromEntries(
        [...located.entries].map(([key, { value }]) => [key, plainValue(value)]),
      )
  }
}

/** Where the value at `path` stands, or the nearest thing above it that is there. */
export function placeAt(located: Located, path: PropertyKey[]): Place {
  const [first, ...rest] = path
  if (first === undefined) return located.at
  if (located.kind === 'list') {
    const item = located.items[Number(first)]
    return item ? placeAt(item, rest) : located.at
  }
  if (located.kind === 'scalar') return located.at
  const entry = located.entries.get(String(first))
  if (!entry) return located.at
  return rest.length === 0 ? entry.at : placeAt(entry.value, rest)
}

function locate(document: Document, placeOf: (offset: number) => Place, text: string): Located {
  let values = 0

  /** `alias`: the outermost one that led here. */
  function locateNode(node: unknown, above: Place, depth: number, alias?: Place): Located {
    const at = hasRange(node) ? placeOf(node.range[0]) : above
    if (++values > valuesMax || depth > depthMax) throw excessive(alias ?? at)
    const inner = (child: unknown) => locateNode(child, at, depth + 1, alias)
    if (isAlias(node)) {
      const target = node.resolve(document)
      if (!target)
        throw new ScenarioError(at, keyNear(text, at.line), `nothing is named &${node.source}`)
      return { ...locateNode(target, at, depth + 1, alias ?? at), at }
    }
    if (isMap(node)) return { kind: 'map', at, entries: entriesOf(node, at, inner) }
    if (isSeq(node)) return { kind: 'list', at, items: node.items.map(inner) }
    return { kind: 'scalar', at, value: isScalar(node) ? scalarOf(node.value) : null }
  }

  function entriesOf(map: YAMLMap, at: Place, inner: (child: unknown) => Located) {
    const entries: LocatedMap['entries'] = new Map()
    for (const pair of map.items) {
      const keyAt = hasRange(pair.key) ? placeOf(pair.key.range[0]) : at
      if (!isScalar(pair.key))
        throw new ScenarioError(keyAt, keyNear(text, keyAt.line), 'a key must be a word')
      const key = String(pair.key.value)
      if (entries.has(key)) throw new ScenarioError(keyAt, key, 'is there twice')
      const value = inner(pair.value)
      // What has no text of its own (an empty value) stands where its key does.
      entries.set(key, { at: keyAt, value: hasRange(pair.value) ? value : { ...value, at: keyAt } })
    }
    return entries
  }

  const excessive = (at: Place) =>
    new ScenarioError(at, keyNear(text, at.line), 'holds too much: are there aliases in it?')

  return locateNode(document.contents, placeOf(0), 0)
}

const hasRange = (node: unknown): node is Node & { range: [number, number, number] } =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)

function scalarOf(value: unknown): LocatedScalar['value'] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as LocatedScalar['value'])
    : String(value)
}

/** The last key at or before a line: what a mistake in the notation itself is nearest to. */
function keyNear(text: string, line: number): string {
  const lines = text.split('\n').slice(0, line)
  for (const candidate of lines.reverse()) {
    const [, key] = /^[\s-]*["']?([\w.-]+)["']?\s*:/.exec(candidate) ?? []
    if (key) return key
  }
  return 'file'
}
