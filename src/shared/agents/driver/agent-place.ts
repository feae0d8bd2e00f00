/** The context of a new session: its task, directory, environment and history. */

import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import type { TaskId } from '../../records/ids.ts'
import type { RunSandbox } from '../../records/projects/sandbox.ts'
import type { AgentSessionCost, AgentSessionRef } from '../agent-records.ts'
import type { PermissionMode } from '../permission-modes.ts'

/** The environment of an agent's session. */
export interface AgentPlace {
  taskId: TaskId
  /** Number of the task's run, from 1. Absent: the first. */
  run?: number
  /** Absolute. */
  cwd: string
  /** The environment variables of its processes, without secrets (K2). */
  env: Record<string, string>
  /** The earlier runs; empty on the first run of a task. */
  history: SessionHistory
  /**
   * Changes since the work was interrupted, one sentence each. Absent if there are none, or this is
   * no resume.
   */
  changesSinceStop?: readonly string[]
  /** True for a sub-agent, whose run fails without a report (T3). */
  mustReport?: boolean
  /** True: it may read the record of its sub-agents. */
  readsRecord?: boolean
  /** The sandbox of its commands; absent if unknown. */
  sandbox?: RunSandbox
  /** Its mode of permissions; absent or null: it is never asked. */
  permissions?: PermissionMode | null
  /**
   * The reference to the agent's own store, from the newest run that had one; null if there is
   * none.
   */
  resume: AgentSessionRef | null
  /** The recorded cost of that session. Absent: none. */
  resumeCost?: AgentSessionCost
  /** Aborted when the run is interrupted. */
  signal: AbortSignal
}

/**
 * The history of a run: of the tasks that its own continues, and its own earlier runs. It may have
 * hundreds of megabytes, and is read only on demand.
 */
export interface SessionHistory {
  /** The number of complete turns. */
  completedTurns: number
  /** True if the last run failed. */
  failed: boolean
  /** The newest prompt, or null. */
  prompt(): Promise<MessageEntry | null>
  /** The last tool result of the complete turns, or null. */
  lastResult(): Promise<ToolResultEntry | null>
  /**
   * Yields the entries oldest first, with at most one page in memory. `unfinished`: those after the
   * last complete turn. Rejects with JournalReadError or FailureError.
   */
  entries(part?: 'all' | 'unfinished'): AsyncIterable<Entry>
  /** Returns an image that an entry refers to, or null if it is no longer kept. */
  image(sha256: string): Promise<Uint8Array | null>
}
