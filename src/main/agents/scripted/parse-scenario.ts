import { basename } from 'node:path'
import { isToolName, type ToolName, toolInputSchemas, toolNames } from '../../../shared/tools.ts'
import { durationExpected, parseDuration } from '../duration.ts'
import { inputProblems } from '../tools/input-problems.ts'
import { type Located, type LocatedMap, placeAt, plainValue, readYaml } from './located-yaml.ts'
import { hasPlaceholder } from './placeholders.ts'
import { type Json, type Scenario, ScenarioError, type Step } from './scenario.ts'

const scenarioVersion = 1

/**
 * Reads a scenario (SCENARIOS.md) and checks all of it, the inputs of its tool calls included, so that
 * nothing starts that could not be played. `fileName` is for messages. Throws a `ScenarioError` that
 * names file, line and key.
 */
export function parseScenario(text: string, fileName: string): Scenario {
  const root = readYaml(text, fileName)
  const top = mapOf(root, 'file', ['version', 'name', 'agents'])
  const version = entryOf(top, 'version')
  if (version.kind !== 'scalar' || version.value !== scenarioVersion)
    throw new ScenarioError(version.at, 'version', `expected ${scenarioVersion}`)
  const agents = mapOf(entryOf(top, 'agents'), 'agents')
  const [rootAgent] = agents.entries.keys()
  if (rootAgent === undefined)
    throw new ScenarioError(placeAt(top, ['agents']), 'agents', 'has no agents')
  const names = new Set(agents.entries.keys())
  return {
    name: top.entries.has('name')
      ? textOf(entryOf(top, 'name'), 'name')
      : basename(fileName).replace(/\.ya?ml$/, ''),
    rootAgent,
    agents: new Map(
      [...agents.entries].map(([name, { value }]) => [
        name,
        { turns: turnsOf(value, name, names) },
      ]),
    ),
  }
}

function turnsOf(located: Located, agent: string, agents: Set<string>): Step[][] {
  const turns = entryOf(mapOf(located, agent, ['turns']), 'turns')
  return listOf(turns, 'turns').map((turn) => turnOf(turn, agents))
}

const stepKeys = ['think', 'say', 'call', 'with', 'wait', 'report', 'fail']

function turnOf(located: Located, agents: Set<string>): Step[] {
  const turn = mapOf(located, 'turns', ['steps', ...stepKeys])
  const steps = turn.entries.get('steps')
  if (!steps) return [stepOf(turn, agents)]
  for (const [key, { at }] of turn.entries)
    if (key !== 'steps')
      throw new ScenarioError(at, key, 'belongs into a step of its own, in steps')
  const items = listOf(steps.value, 'steps')
  return items.map((item, index) => {
    const step = stepOf(mapOf(item, 'steps', stepKeys), agents)
    if (endsRun(step) && index < items.length - 1)
      throw new ScenarioError(
        item.at,
        nameOf(item),
        'ends the run; the steps after it would never be played',
      )
    return step
  })
}

const endsRun = (step: Step): boolean =>
  step.kind === 'fail' || (step.kind === 'call' && step.name === 'agent_report')

const nameOf = (item: Located): string =>
  item.kind === 'map'
    ? ([...item.entries.keys()].find((key) => key !== 'with') ?? 'steps')
    : 'steps'

function stepOf(map: LocatedMap, agents: Set<string>): Step {
  const [kind, other] = [...map.entries.keys()].filter((key) => key !== 'with')
  const choice = stepKeys.filter((key) => key !== 'with').join(', ')
  if (kind === undefined)
    throw new ScenarioError(
      map.at,
      map.entries.has('with') ? 'with' : 'steps',
      `expected one of ${choice}`,
    )
  if (other !== undefined)
    throw new ScenarioError(
      placeAt(map, [other]),
      other,
      `a step is one of ${choice}; several go into steps`,
    )
  if (kind !== 'call' && map.entries.has('with'))
    throw new ScenarioError(placeAt(map, ['with']), 'with', 'goes with call only')
  const value = entryOf(map, kind)
  switch (kind) {
    case 'think':
    case 'say':
      return { kind, text: textOf(value, kind) }
    case 'fail':
      return { kind, message: textOf(value, kind) }
    case 'wait':
      return { kind, durationMs: durationOf(value, kind) }
    case 'report':
      return callOf('agent_report', mapOf(value, 'report'), agents)
    default:
      return callOf(toolOf(value), inputOf(map), agents)
  }
}

function toolOf(located: Located): ToolName {
  const name = textOf(located, 'call')
  if (isToolName(name)) return name
  throw new ScenarioError(
    located.at,
    'call',
    `there is no tool named ${JSON.stringify(name)}; the tools are ${toolNames.join(', ')}`,
  )
}

function inputOf(step: LocatedMap): LocatedMap {
  const input = step.entries.get('with')
  return input ? mapOf(input.value, 'with') : { kind: 'map', at: step.at, entries: new Map() }
}

function callOf(name: ToolName, located: LocatedMap, agents: Set<string>): Step {
  const input = plainValue(located)
  const parsed = toolInputSchemas[name].safeParse(input)
  const problems = parsed.success ? [] : inputProblems(name, input, parsed.error)
  for (const { path, key, message } of problems) {
    // What a placeholder will stand for is only known when it is played.
    if (isFilledLater(input, path)) continue
    throw new ScenarioError(placeAt(located, path), key === 'input' ? 'with' : key, message)
  }
  if (name === 'task') checkAgent(located, agents)
  if (name === 'task_await') checkTimeout(located)
  return { kind: 'call', name, input }
}

function isFilledLater(input: Json, path: PropertyKey[]): boolean {
  const value = path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
  return typeof value === 'string' && hasPlaceholder(value)
}

function checkAgent(input: LocatedMap, agents: Set<string>): void {
  const agent = entryOf(input, 'agent')
  const name = textOf(agent, 'agent')
  if (agents.has(name) || hasPlaceholder(name)) return
  throw new ScenarioError(
    placeAt(input, ['agent']),
    'agent',
    `there is no agent named ${JSON.stringify(name)}; the agents are ${[...agents].join(', ')}`,
  )
}

function checkTimeout(input: LocatedMap): void {
  const timeout = input.entries.get('timeout')?.value
  if (timeout?.kind === 'scalar' && typeof timeout.value === 'string')
    if (!hasPlaceholder(timeout.value)) durationOf(timeout, 'timeout')
}

function durationOf(located: Located, key: string): number {
  const durationMs =
    located.kind === 'scalar' && typeof located.value === 'string'
      ? parseDuration(located.value)
      : null
  if (durationMs === null) throw new ScenarioError(located.at, key, `expected ${durationExpected}`)
  return durationMs
}

function mapOf(located: Located, key: string, known?: string[]): LocatedMap {
  if (located.kind !== 'map') throw wrongType(located, key, 'keys with values')
  for (const [name, { at }] of known ? located.entries : [])
    if (!known?.includes(name))
      throw new ScenarioError(at, name, `unknown key; expected ${known?.join(', ')}`)
  return located
}

function listOf(located: Located, key: string): Located[] {
  if (located.kind !== 'list') throw wrongType(located, key, 'a list')
  if (located.items.length === 0) throw new ScenarioError(located.at, key, 'is empty')
  return located.items
}

function textOf(located: Located, key: string): string {
  if (located.kind !== 'scalar' || typeof located.value !== 'string')
    throw wrongType(located, key, 'a text')
  return located.value
}

function entryOf(map: LocatedMap, key: string): Located {
  const entry = map.entries.get(key)
  if (!entry) throw new ScenarioError(map.at, key, 'is missing')
  return entry.value
}

function wrongType(located: Located, key: string, expected: string): ScenarioError {
  const found = { map: 'keys with values', list: 'a list', scalar: '' }[located.kind]
  const value = located.kind === 'scalar' ? JSON.stringify(located.value) : found
  return new ScenarioError(located.at, key, `expected ${expected}, found ${value}`)
}
