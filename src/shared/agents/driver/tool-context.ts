/** The context in which a tool runs. The tools are in `src/main/agents/tools`. */

import type { TaskId, ToolCallId } from '../../records/ids.ts'
import type { PlanItem } from '../agent-records.ts'
import type { Masker } from './masker.ts'
import type { TaskToolsPort } from './task-tools-port.ts'
import type { ShellState, ToolResult } from './tool-result.ts'

/** The context of a tool call. */
export interface ToolContext {
  taskId: TaskId
  callId: ToolCallId
  /** File tools are confined to it, symlinks included. Absolute. */
  workingDir: string
  /** The environment and directory for the commands of its shell. */
  environment: Record<string, string>
  /** Absent: commands run with all of the user's rights. */
  sandbox?: CommandSandbox
  shell: ShellState
  mask: Masker
  signal: AbortSignal
  /** Once it is aborted, a tool that waits for sub-agents returns their current states. */
  stopWaiting?: AbortSignal | undefined
  /** Called with its output while it runs. Views show it until the result is recorded. */
  onOutput: (text: string) => void
  files: FileChangeRecorder
  /** Moves the output into the record. Resolves once it is durable there; the file no longer exists then. */
  keepOutput(output: KeptOutput): Promise<void>
  /** Resolves once the agent's plan is recorded. It replaces the previous one. */
  recordPlan(items: PlanItem[]): Promise<void>
  /** Resolves with the user's answer; frees the agent's slot until then. Rejects if the run ends first. */
  askPerson(question: { question: string; choices: readonly string[] }): Promise<PersonAnswer>
  tasks: TaskToolsPort
}

/**
 * Runs one tool. Returns an `error` result for anything that the agent can react to; throws only if
 * the run must end.
 */
export type RunTool = (name: string, input: unknown, context: ToolContext) => Promise<ToolResult>

export type PersonAnswer =
  | { kind: 'answered'; text: string }
  /** `message`: the user's text instead of an answer; may be empty. */
  | { kind: 'declined'; message: string }
  | { kind: 'nobody' }

/** Records each file that a tool changes, before (with the old content) and after. */
export interface FileChangeRecorder {
  /**
   * `path` is relative to the working directory. Null content: there is no file. Resolves once
   * durable.
   */
  record(change: {
    callId: ToolCallId
    path: string
    before: Uint8Array | null
    after: Uint8Array | null
  }): Promise<void>
  /** Called with the old content before the file is touched: it goes to `file-history/` first. */
  keepOriginal(before: Uint8Array | null): Promise<void>
}

/** The complete output of a command that printed more than the agent gets, in a file. */
export interface KeptOutput {
  /** Absolute; the receiver owns the file. Its content is durable. */
  file: string
  sha256: string
  bytes: number
  /** Bytes beyond the limit, which were dropped. */
  leftOutBytes: number
}

/** The sandbox of a run's commands. */
export interface CommandSandbox {
  /** A clause that describes the limits: `commands may write only in …`. */
  limits: string
  /** False if they have none. */
  network: boolean
  /**
   * Returns the program and arguments that run `command` in the sandbox. `stateFile` is an
   * additional file that it may write.
   */
  wrap(command: string[], stateFile: string): [program: string, ...args: string[]]
  /**
   * Call it when a command has ended: removes what would lead a later Git, outside of the sandbox, to other files.
   * Resolves with the absolute paths that were removed.
   */
  afterCommand(): Promise<string[]>
}

/**
 * Removes the temporary file of a call whose process was killed from a working directory, and
 * nothing else. No error if there is none. Rejects with the system's error if it can't be removed.
 */
export type DiscardUnfinished = (call: {
  taskId: TaskId
  callId: ToolCallId
  name: string
  /** As recorded. */
  input: unknown
  /** Absolute. */
  workingDir: string
}) => Promise<void>
