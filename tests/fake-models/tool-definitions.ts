/** Checks of tool names and schemas. */

export interface ToolDefinition {
  name: string
  schema: unknown
}

type ToolProblem =
  | { kind: 'name'; index: number; name: string }
  | { kind: 'duplicate'; index: number; name: string }
  | { kind: 'schema'; index: number; name: string; why: string }

/** The first problem in a list of tools; undefined if there is none. */
export function findToolProblem(
  tools: ToolDefinition[],
  namePattern: RegExp,
): ToolProblem | undefined {
  const names = new Set<string>()
  for (const [index, { name, schema }] of tools.entries()) {
    if (!namePattern.test(name)) return { kind: 'name', index, name }
    if (names.has(name)) return { kind: 'duplicate', index, name }
    names.add(name)
    const why = findObjectSchemaProblem(schema)
    if (why) return { kind: 'schema', index, name, why }
  }
  return undefined
}

const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const subschemaKeys = [
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
].concat(['then', 'else', 'unevaluatedProperties', 'unevaluatedItems'])
const subschemaMaps = ['properties', 'patternProperties', '$defs', 'definitions']
const subschemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const countKeys = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties']

function findObjectSchemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'a schema must be an object'
  if (schema.type !== 'object') return `schema must be of type 'object', got '${schema.type}'`
  return findSchemaProblem(schema, schema, '')
}

function findSchemaProblem(
  schema: unknown,
  root: Record<string, unknown>,
  path: string,
): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isRecord(schema)) return `${path || '/'} is neither an object nor a boolean`
  const own = findKeywordProblem(schema, root, path)
  if (own) return own
  const children: [string, unknown][] = [
    ...subschemaKeys.filter((key) => key in schema).map((key) => [key, schema[key]] as const),
    ...subschemaMaps.flatMap((key) =>
      Object.entries((schema[key] as object) ?? {}).map(
        ([name, child]) => [`${key}/${name}`, child] as const,
      ),
    ),
    ...subschemaLists.flatMap((key) =>
      ((schema[key] as unknown[]) ?? []).map((child, index) => [`${key}/${index}`, child] as const),
    ),
  ].map(([key, child]) => [key, child])
  for (const [key, child] of children) {
    const problem = findSchemaProblem(child, root, `${path}/${key}`)
    if (problem) return problem
  }
  return undefined
}

function findKeywordProblem(
  schema: Record<string, unknown>,
  root: Record<string, unknown>,
  path: string,
): string | undefined {
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.some((type) => !typeNames.includes(type as string)))
    return `${path}/type is not a JSON Schema type: ${JSON.stringify(schema.type)}`
  const { required, enum: values, pattern, $ref } = schema
  if (required !== undefined && !isListOf(required, 'string'))
    return `${path}/required is not a list of names`
  if (values !== undefined && !(Array.isArray(values) && values.length > 0))
    return `${path}/enum is not a list of values`
  for (const key of subschemaMaps)
    if (schema[key] !== undefined && !isRecord(schema[key]))
      return `${path}/${key} is not an object`
  for (const key of subschemaLists)
    if (schema[key] !== undefined && !(Array.isArray(schema[key]) && schema[key].length > 0))
      return `${path}/${key} is not a list of schemas`
  for (const key of countKeys)
    if (schema[key] !== undefined && !(Number.isInteger(schema[key]) && Number(schema[key]) >= 0))
      return `${path}/${key} is not a count`
  if (pattern !== undefined && !isPattern(pattern))
    return `${path}/pattern is not a regular expression`
  if ($ref !== undefined && !resolves($ref, root)) return `${path}/$ref leads nowhere: ${$ref}`
  return undefined
}

function isPattern(pattern: unknown): boolean {
  try {
    new RegExp(pattern as string, 'u')
    return typeof pattern === 'string'
  } catch {
    return false
  }
}

function resolves(ref: unknown, root: Record<string, unknown>): boolean {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return false
  let at: unknown = root
  for (const key of ref.slice(1).split('/').filter(Boolean))
    at = isRecord(at) ? at[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  return at !== undefined
}

const isListOf = (value: unknown, type: string) =>
  Array.isArray(value) && value.every((item) => typeof item === type)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
