/** An agent definition: a named role, with its prompt and what it may use. docs/AGENT-DEFINITIONS.md describes the files. */
import type { DefinedAgent } from '../../../shared/agents/agent-specs.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ToolName } from '../../../shared/agents/tools.ts'

export interface AgentDefinition {
  name: string
  /** One line: when to use it. For the agent that may start it. */
  description: string
  prompt: string
  /** `built-in`, or its path in the project, `/` as separator. */
  source: string
  /** The whole file, without known secrets. */
  text: string
  /** Of the text, in hex. */
  sha256: string
  /** `anthropic/claude-opus-5-5`; null: that of its parent. */
  model: string | null
  /** Null: those of its parent. */
  tools: ToolName[] | null
  /** Null: that of its parent. */
  permissions: PermissionMode | null
  /** Of one run. */
  limits: NonNullable<DefinedAgent['limits']>
  /** What of the file is not used and why, one sentence each. */
  notes: string[]
}

/** What a file says, before it is known where it came from. */
export type DefinitionContent = Omit<AgentDefinition, 'source' | 'text' | 'sha256'>

export const builtInSource = 'built-in'
