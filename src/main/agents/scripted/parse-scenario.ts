import { basename } from 'node:path'
import { z } from 'zod'
import { type ReadYaml, readYaml, shortened } from './read-yaml.ts'
import { type Scenario, ScenarioError } from './scenario.ts'
import { scenarioSchema } from './scenario-schema.ts'

/**
 * Reads a scenario (SCENARIOS.md) and checks all of it, the inputs of its tool calls included, so that
 * nothing starts that could not be played. `fileName` is for messages. Throws a `ScenarioError` that
 * names file, line and key of the first mistake.
 */
export function parseScenario(text: string, fileName: string): Scenario {
  const { value, keysAt, placeOf } = readYaml(text, fileName)
  const names = keysAt(['agents'])
  const read = scenarioSchema(names).safeParse(value, { error: messageOf })
  if (!read.success) throw firstOf(read.error.issues, placeOf)
  const { name = basename(fileName).replace(/\.ya?ml$/, ''), agents } = read.data
  return {
    name,
    rootAgent: names[0] ?? '',
    agents: new Map(names.map((each) => [each, { turns: agents[each]?.turns ?? [] }])),
  }
}

/** By position in the file. A missing key has none: it is sorted after errors such as a misspelt key. */
function firstOf(issues: z.core.$ZodIssue[], placeOf: ReadYaml['placeOf']): Error {
  const [first] = issues
    .flatMap((issue): { path: PropertyKey[]; message: string }[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...issue.path, key], message: issue.message }))
        : [issue],
    )
    .map(({ path, message }) => ({ path, message, at: placeOf(path) }))
    .sort(
      (a, b) =>
        Number(a.message.startsWith(isMissing)) - Number(b.message.startsWith(isMissing)) ||
        a.at.offset - b.at.offset,
    )
  if (!first) throw new Error('a scenario was refused without a reason')
  return new ScenarioError(first.at, keyOf(first.path), first.message)
}

/** The nearest key of the file. */
const keyOf = (path: PropertyKey[]): string =>
  path.findLast((part) => typeof part === 'string') ?? 'file'

const isMissing = 'is missing'
const typeNames: Record<string, string> = {
  string: 'a text',
  array: 'a list',
  object: 'keys with values',
  record: 'keys with values',
}

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return isMissing
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? issue.expected}, found ${found(issue.input)}`
    case 'too_small':
      return 'is empty'
    case 'unrecognized_keys': {
      const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []
      return `unknown key; expected ${known.join(', ')}`
    }
    default:
      return undefined
  }
}

function found(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null
    ? 'keys with values'
    : shortened(JSON.stringify(value))
}
