/** Applies an agent's definition to its run: which tools it has, and what is recorded of it. */

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

/** The version of its definition, for `run-start`. */
export function definitionEntryOf({ spec }: Defined): {
  definition?: z.infer<typeof definitionRefSchema>
} {
  const definition = definitionOfSpec(spec)
  if (!definition) return {}
  const { source, sha256 } = definition
  return { definition: { source, sha256 } }
}

/**
 * Returns null if the agent has the tool, else the text returned to it. The person is not asked.
 */
export function refusalByDefinition({ agent, spec }: Defined, name: string): string | null {
  const definition = definitionOfSpec(spec)
  if (hasTool(definition, name)) return null
  const own = [...(definition?.tools ?? []), 'agent_report'].join(', ')
  return `Not run: the agent ${JSON.stringify(agent)} does not have the tool ${JSON.stringify(name)}. Its tools: ${own}. Continue without it, and name in your report what is left to do.`
}
