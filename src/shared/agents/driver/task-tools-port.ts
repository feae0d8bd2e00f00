/** The interface of the task tools to the services, for one running task. */

import type { TaskId, ToolCallId } from '../../records/ids.ts'
import type { ApplyOutcome, AwaitedTask, ToolInput } from '../tools.ts'
import type { OwnSubAgent } from './agent-session.ts'
import type { JsonValue } from './json-value.ts'

/** The request of a `task` call. Fields that were not given are absent. */
export type TaskRequest = ToolInput<'task'>

/** Each running task has its own, which gives access only to its descendants (A5). */
export interface TaskToolsPort {
  /** Resolves once the sub-agent's task is durable. Throws an Error whose message is for the agent. */
  spawn(request: TaskRequest, callId: ToolCallId): Promise<{ taskId: TaskId }>
  /** As `AgentHost.adopt`. */
  adopt(subAgent: OwnSubAgent): Promise<{ taskId: TaskId }>
  /**
   * `all`, or titles and ids. Rejects on abort. Tasks that have not settled after `timeoutMs`, or
   * once `stopWaiting` is aborted, are returned with their current state.
   */
  await(
    tasks: 'all' | string[],
    options: { timeoutMs?: number; signal: AbortSignal; stopWaiting?: AbortSignal | undefined },
  ): Promise<AwaitedTask[]>
  list(): Promise<AwaitedTask[]>
  stop(task: string): Promise<AwaitedTask>
  applyPatch(task: string): Promise<{ taskId: TaskId; title: string; outcome: ApplyOutcome }>
  report(report: {
    title: string
    markdown: string
    taskResults?: Record<string, JsonValue> | undefined
  }): Promise<void>
}
