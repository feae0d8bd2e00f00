import type { ToolContext } from '../../../shared/agents/driver/tool-context.ts'
import type { ToolResult } from '../../../shared/agents/driver/tool-result.ts'
import type { ToolInput, ToolName } from '../../../shared/agents/tools.ts'

/** One tool. Rejects with `ToolError` for an error that the agent can act on; any other error ends the run. */
export type Tool<Name extends ToolName> = (
  input: ToolInput<Name>,
  context: ToolContext,
) => Promise<ToolResult>

/** Becomes the call's `error` result. The message tells the agent what is wrong, where, and what to do. */
export class ToolError extends Error {
  readonly kind = 'tool-error'

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ToolError'
  }
}
