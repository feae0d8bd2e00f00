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

/** Settles as `promise` does, or rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // The loser of the race must not count as an unhandled rejection.
  promise.catch(() => {})
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
