import type { z } from 'zod'
import { type ToolName, toolInputSchemas } from '../../../shared/agents/tools.ts'

interface InputProblem {
  /** The position in the input, for code. */
  path: PropertyKey[]
  /** The same as people write it, such as `dependsOn[0]`. */
  key: string
  message: string
}

/** The errors in a tool call's input, one per key: the key, and its expected value. */
export function inputProblems(name: ToolName, input: unknown, error: z.ZodError): InputProblem[] {
  const known = Object.keys(toolInputSchemas[name].shape)
  return error.issues.flatMap((issue): InputProblem[] => {
    if (issue.code !== 'unrecognized_keys')
      return [{ path: issue.path, key: keyOf(issue.path), message: sentence(issue, input) }]
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      return { path, key: keyOf(path), message: `unknown key; ${knownKeys(name, known)}` }
    })
  })
}

function sentence(issue: z.core.$ZodIssue, input: unknown): string {
  const missing = valueAt(input, issue.path) === undefined ? 'is missing; ' : ''
  if (issue.code === 'invalid_type') return `${missing}expected ${withArticle(issue.expected)}`
  if (issue.code === 'invalid_union')
    return `${missing}expected ${issue.errors.map(expectedBy).join(' or ')}`
  if (issue.code === 'too_small' && issue.origin === 'string') return 'must not be empty'
  return issue.message.replace(/^Invalid (input|option): /, '')
}

function expectedBy(issues: z.core.$ZodIssue[]): string {
  const [issue] = issues
  if (issue?.code === 'invalid_type') return withArticle(issue.expected)
  if (issue?.code === 'invalid_value')
    return issue.values.map((value) => JSON.stringify(value)).join(' or ')
  return issue?.message ?? 'something else'
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
}

const withArticle = (type: string): string =>
  `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type === 'int' ? 'integer' : type}`

const knownKeys = (name: ToolName, keys: string[]): string =>
  keys.length > 0 ? `${name} takes ${keys.join(', ')}` : `${name} takes no keys`

function keyOf(path: PropertyKey[]): string {
  if (path.length === 0) return 'input'
  return path.reduce<string>(
    (key, part) =>
      typeof part === 'number' ? `${key}[${part}]` : key ? `${key}.${String(part)}` : String(part),
    '',
  )
}
