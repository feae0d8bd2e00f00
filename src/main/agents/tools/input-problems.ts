import type { z } from 'zod'
import { type ToolName, toolInputSchemas } from '../../../shared/agents/tools.ts'
import { counted } from '../../../shared/text/counted.ts'

interface InputProblem {
  /** The position in the input, for code. */
  path: PropertyKey[]
  /** The same as people write it, such as `dependsOn[0]`. */
  key: string
  message: string
}

/** Returns the errors in a tool call's input, one for each key, with how to correct it. */
export function inputProblems(name: ToolName, input: unknown, error: z.ZodError): InputProblem[] {
  const known = Object.keys(toolInputSchemas[name].shape)
  return error.issues.flatMap((issue): InputProblem[] => {
    if (issue.code !== 'unrecognized_keys')
      return [{ path: issue.path, key: keyOf(issue.path), message: correction(issue, input) }]
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      return { path, key: keyOf(path), message: keyHint(name, known) }
    })
  })
}

/** Returns what to do, because small models that read only what is wrong repeat the call unchanged. */
function correction(issue: z.core.$ZodIssue, input: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${valueAt(input, issue.path) === undefined ? 'is missing; ' : ''}give ${withArticle(issue.expected)}`
    case 'invalid_union':
      return `${valueAt(input, issue.path) === undefined ? 'is missing; ' : ''}give ${issue.errors.map(expectedText).join(' or ')}`
    case 'invalid_value':
      return `give ${valuesOf(issue)}`
    case 'too_small':
      if (issue.origin === 'string') return 'empty; give a text'
      return issue.origin === 'array'
        ? `give at least ${counted(Number(issue.minimum), 'item')}`
        : `give ${issue.minimum} or more`
    case 'too_big':
      if (issue.origin === 'string') return `too long; give ${issue.maximum} characters or fewer`
      return issue.origin === 'array'
        ? `too many; give ${counted(Number(issue.maximum), 'item')} or fewer`
        : `give ${issue.maximum} or less`
    default:
      return issue.message
  }
}

function expectedText(issues: z.core.$ZodIssue[]): string {
  const [issue] = issues
  if (issue?.code === 'invalid_type') return withArticle(issue.expected)
  return issue?.code === 'invalid_value' ? valuesOf(issue) : (issue?.message ?? 'something else')
}

const valuesOf = ({ values }: z.core.$ZodIssueInvalidValue): string =>
  values.map((value) => JSON.stringify(value)).join(' or ')

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
}

const withArticle = (type: string): string =>
  `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type === 'int' ? 'integer' : type}`

const keyHint = (name: ToolName, keys: string[]): string =>
  keys.length > 0
    ? `no such key; leave it out, or use one that ${name} takes: ${keys.join(', ')}`
    : `no such key; leave it out, ${name} takes no keys`

function keyOf(path: PropertyKey[]): string {
  if (path.length === 0) return 'input'
  return path.reduce<string>(
    (key, part) =>
      typeof part === 'number' ? `${key}[${part}]` : key ? `${key}.${String(part)}` : String(part),
    '',
  )
}
