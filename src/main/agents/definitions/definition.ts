/**
 * An agent definition: a named role with a prompt, tools and limits. docs/AGENT-DEFINITIONS.md
 * describes the files.
 */
import type { DefinedAgent } from '../../../shared/agents/agent-specs.ts'
import type { AgentPreset } from '../../../shared/agents/installed-agents.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ToolName } from '../../../shared/agents/tools.ts'

export interface AgentDefinition {
  name: string
  /** One line for agents that may start it: when to use it. */
  description: string
  prompt: string
  /** `built-in`, or its path in the project, `/` as separator. */
  source: string
  /** The whole file, without known secrets. */
  text: string
  /** The SHA-256 of the text, in hex. */
  sha256: string
  /** Such as `anthropic/claude-opus-5-5`; null stands for its parent's. */
  model: string | null
  /** The installed agent that it runs on; null if it runs on a model or on its parent's agent. */
  program: AgentPreset | null
  /** Null stands for its parent's. */
  tools: ToolName[] | null
  /** Null stands for its parent's. */
  permissions: PermissionMode | null
  /** Limits of one run. */
  limits: NonNullable<DefinedAgent['limits']>
  /** The ignored parts of the file with the reason, one sentence each. */
  notes: string[]
}

/** The content of a file, without its source. */
export type DefinitionContent = Omit<AgentDefinition, 'source' | 'text' | 'sha256'>

export const builtInSource = 'built-in'
