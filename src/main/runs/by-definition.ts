/** Applies an agent's definition to its run: limits its tools, and records the definition's version. */

import type { z } from 'zod'
import {
  type AgentSpec,
  definitionOfSpec,
  type definitionRefSchema,
  hasTool,
} from '../../shared/agents/agent-specs.ts'

interface Defined {
  agent: string
  spec: AgentSpec
}

/** Returns the source and the hash of the agent's definition for `run-start`; empty for an agent without one. */
export function definitionEntryOf({ spec }: Defined): {
  definition?: z.infer<typeof definitionRefSchema>
} {
  const definition = definitionOfSpec(spec)
  if (!definition) return {}
  const { source, sha256 } = definition
  return { definition: { source, sha256 } }
}

/**
 * Returns null if the agent's definition includes the tool, else the error text for the agent. The user
 * is not asked.
 */
export function refusalByDefinition({ agent, spec }: Defined, name: string): string | null {
  const definition = definitionOfSpec(spec)
  if (hasTool(definition, name)) return null
  const own = [...(definition?.tools ?? []), 'agent_report'].join(', ')
  return `Not run: the agent ${JSON.stringify(agent)} does not have the tool ${JSON.stringify(name)}. Its tools: ${own}. Continue without it, and name in your report what is left to do.`
}
