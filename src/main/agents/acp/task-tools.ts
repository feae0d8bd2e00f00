/** Shiplog's own tools, as an agent reaches them while it runs. */
import type { AgentHost, AgentPlace } from '../../../shared/agents/agent.ts'

/** Opens the tools of one run. Null: such an agent gets none. */
export type OpenTaskTools = (run: {
  place: AgentPlace
  host: AgentHost
}) => Promise<TaskTools | null>

export interface TaskTools {
  /** For `mcpServers` of the agent's session. */
  entry: object
  /** Resolves with true once the agent has listed the tools, with false if it has not in time. */
  listed(): Promise<boolean>
  /** True once the agent has reported. */
  reported(): boolean
  /** Ends all waits of the prompt that was answered. */
  turnEnded(): void
  close(): Promise<void>
}
