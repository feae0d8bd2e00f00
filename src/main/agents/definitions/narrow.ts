/**
 * Limits an agent's permissions: a definition from a repository can only remove, never add (P1,
 * S6). Pure.
 */
import type { AgentSpec, DefinedAgent } from '../../../shared/agents/agent-specs.ts'
import { narrowestMode } from '../../../shared/agents/permission-modes.ts'
import { type ToolName, toolNames } from '../../../shared/agents/tools.ts'
import type { AgentDefinition } from './definition.ts'

/**
 * Returns the spec of the installed agent that a definition names; null if it names none. Throws an Error if the tools
 * of the agent would have to be limited, which is not possible.
 */
export function onInstalledAgent(
  name: string,
  { definition, defined }: { definition: AgentDefinition; defined: DefinedAgent },
  parent: DefinedAgent | null,
): Extract<AgentSpec, { kind: 'acp' }> | null {
  const { program } = definition
  if (program === null) return null
  if (parent?.tools !== undefined || defined.tools !== undefined)
    throw new Error(
      `The agent ${name} runs on ${program}, whose tools Shiplog can't limit: start one whose definition names no installed agent.`,
    )
  return { kind: 'acp', program, agent: name, definition: defined }
}

/**
 * `builtIn`: the built-in definition that it replaces. `parent`: the definition of the parent
 * agent; null if there is none, or a user starts it. `notes`: what was removed, one sentence
 * each.
 */
export function narrowed(
  definition: AgentDefinition,
  { builtIn, parent }: { builtIn: AgentDefinition | null; parent: DefinedAgent | null },
): { defined: DefinedAgent; notes: string[] } {
  const { source, sha256 } = definition
  const upperBounds = [builtIn?.tools ?? null, parent?.tools ?? null]
  const wanted = definition.tools
  const tools = (wanted ?? toolNames).filter((name) =>
    upperBounds.every((limit) => limit === null || limit.includes(name)),
  )
  const missing = wanted?.filter((name) => !tools.includes(name) && name !== 'agent_report') ?? []
  const isLimited = wanted !== null || upperBounds.some((limit) => limit !== null)
  const modes = [definition.permissions, builtIn?.permissions ?? null].filter(
    (mode) => mode !== null,
  )
  const [mode, ...others] = modes
  const limits = lowestLimits(definition.limits, builtIn?.limits ?? {})
  return {
    defined: {
      source,
      sha256,
      ...(isLimited && { tools }),
      ...(mode && { permissions: narrowestMode(mode, ...others) }),
      ...(Object.keys(limits).length > 0 && { limits }),
    },
    notes: missing.length === 0 ? [] : [reasonFor(missing, definition.name, { builtIn })],
  }
}

function reasonFor(
  missing: ToolName[],
  name: string,
  { builtIn }: { builtIn: AgentDefinition | null },
): string {
  const lackedByBuiltIn = missing.filter((tool) => builtIn?.tools && !builtIn.tools.includes(tool))
  return lackedByBuiltIn.length > 0
    ? `${lackedByBuiltIn.join(', ')}: the built-in agent "${name}" does not have that, so this one has not either. Give it a name of its own`
    : `${missing.join(', ')}: the agent that starts it does not have that`
}

type Limits = AgentDefinition['limits']

function lowestLimits(a: Limits, b: Limits): Limits {
  const least = (key: keyof Limits) => Math.min(a[key] ?? Infinity, b[key] ?? Infinity)
  return Object.fromEntries(
    (['turns', 'minutes'] as const).flatMap((key) =>
      Number.isFinite(least(key)) ? [[key, least(key)]] : [],
    ),
  )
}
