import type { ToolDetail } from '../tools.ts'
import type { ShownImage } from './prompt-parts.ts'

export interface ToolResult {
  outcome: 'ok' | 'error'
  /** The text that the agent gets. */
  output: string
  /** Images that the agent gets with it. */
  images?: ShownImage[]
  detail?: ToolDetail
  /** The shell's state after a bash call. */
  shell?: ShellState
  /** True if the run ends with this turn (`agent_report`). */
  endsRun?: boolean
}

/** The directory and exported variables, which persist between the calls of a run. */
export interface ShellState {
  /** Absolute. */
  cwd: string
  /** Variables that the agent exported or changed. */
  env: Record<string, string>
}
