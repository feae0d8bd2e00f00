/** The schema of a scenario file (SCENARIOS.md), with its error messages. */
import { z } from 'zod'
import { isAgentPreset } from '../../../shared/agents/installed-agents.ts'
import { toolInputSchemas, toolNames } from '../../../shared/agents/tools.ts'
import { durationExpected, parseDuration } from '../duration.ts'
import { inputProblems } from '../tools/input-problems.ts'
import { hasPlaceholder } from './placeholders.ts'
import type { Json, Step } from './scenario.ts'

const scenarioVersion = 1

const text = z.string()
const duration = z.string({ error: `expected ${durationExpected}` }).transform((given, context) => {
  const durationMs = parseDuration(given)
  if (durationMs === null) context.addIssue(`expected ${durationExpected}`)
  return durationMs ?? 0
})
const input = z.record(z.string(), z.unknown())
const stepShape = {
  think: text.optional(),
  say: text.optional(),
  call: z
    .enum(toolNames, {
      error: ({ input: name }) =>
        typeof name === 'string'
          ? `there is no tool named ${JSON.stringify(name)}; the tools are ${toolNames.join(', ')}`
          : undefined,
    })
    .optional(),
  with: input.optional(),
  wait: duration.optional(),
  report: input.optional(),
  fail: text.optional(),
}
const stepKeys = ['think', 'say', 'call', 'wait', 'report', 'fail'] as const
const choice = stepKeys.join(', ')

/** `agents`: the names that a `task` may use. The result is in the order of the file, except for the agents. */
export function scenarioSchema(agents: readonly string[]) {
  const stepSchema = z
    .strictObject(stepShape)
    .transform((given, context) => stepOf(given, context, agents))
  const turnSchema = z
    .strictObject({ ...stepShape, steps: z.array(stepSchema).min(1).optional() })
    .transform(({ steps, ...given }, context): Step[] => {
      if (!steps) return [stepOf(given, context, agents)]
      for (const key of Object.keys(given))
        refuse(context, [key], 'belongs into a step of its own, in steps')
      const last = steps.findIndex(endsRun)
      if (last >= 0 && last < steps.length - 1)
        refuse(
          context,
          ['steps', last, steps[last]?.kind === 'fail' ? 'fail' : 'report'],
          'ends the run; the steps after it would never be played',
        )
      return steps
    })
  return z.strictObject({
    version: z.literal(scenarioVersion, {
      error: ({ input }) => (input === undefined ? undefined : `expected ${scenarioVersion}`),
    }),
    name: text.optional(),
    agents: z
      .record(z.string(), z.strictObject({ turns: z.array(turnSchema).min(1) }))
      .refine((given) => Object.keys(given).length > 0, 'has no agents'),
  })
}

type Context = z.core.$RefinementCtx

function refuse(context: Context, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message })
}

const endsRun = (step: Step): boolean =>
  step.kind === 'fail' || (step.kind === 'call' && step.name === 'agent_report')

type GivenStep = z.infer<z.ZodObject<typeof stepShape>>

function stepOf(given: GivenStep, context: Context, agents: readonly string[]): Step {
  const [kind, other] = Object.keys(given).filter((key) => key !== 'with')
  if (kind === undefined) refuse(context, given.with ? ['with'] : [], `expected one of ${choice}`)
  if (kind !== undefined && other !== undefined)
    refuse(
      context,
      [kind],
      `has ${other} beside it: a step is one of ${choice}; several go into steps`,
    )
  else if (kind !== 'call' && given.with) refuse(context, ['with'], 'is allowed with call only')
  const { think, say, call, wait, report, fail } = given
  if (think !== undefined) return { kind: 'think', text: think }
  if (say !== undefined) return { kind: 'say', text: say }
  if (wait !== undefined) return { kind: 'wait', durationMs: wait }
  if (fail !== undefined) return { kind: 'fail', message: fail }
  const [name, from] = report ? (['agent_report', 'report'] as const) : ([call, 'with'] as const)
  const calledWith = (report ?? given.with ?? {}) as { [key: string]: Json }
  if (name) checkInput({ name, input: calledWith, from, agents }, context)
  return { kind: 'call', name: name ?? 'task_list', input: calledWith }
}

function checkInput(
  given: {
    name: (typeof toolNames)[number]
    input: { [key: string]: Json }
    from: 'with' | 'report'
    agents: readonly string[]
  },
  context: Context,
): void {
  const { name, input, from, agents } = given
  const parsed = toolInputSchemas[name].safeParse(input)
  // A placeholder's value is known only when it is played.
  for (const { path, message } of parsed.success ? [] : inputProblems(name, input, parsed.error))
    if (!isFilledLater(valueAt(input, path))) refuse(context, [from, ...path], message)
  const { agent, timeout } = input
  if (name === 'task' && typeof agent === 'string' && !agents.includes(agent))
    if (!isAgentPreset(agent) && !hasPlaceholder(agent))
      refuse(
        context,
        [from, 'agent'],
        `there is no agent named ${JSON.stringify(agent)}; the agents are ${agents.join(', ')}`,
      )
  if (name === 'task_await' && typeof timeout === 'string' && !hasPlaceholder(timeout))
    if (parseDuration(timeout) === null)
      refuse(context, [from, 'timeout'], `expected ${durationExpected}`)
}

const isFilledLater = (value: unknown): boolean =>
  typeof value === 'string' && hasPlaceholder(value)

const valueAt = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
