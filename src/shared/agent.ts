/**
 * What an agent is to the rest of the program: `run` yields events, and calls tools through the set it
 * is given, which makes each call durable before the tool runs and its result durable before the agent
 * hears of it (J6). Kinds of agent are in `src/main/agents`; `src/main/tasks` drives them.
 */

import type { z } from 'zod'
import type { Entry } from './entries.ts'
import type { TaskId, ToolCallId } from './ids.ts'
import type { ApplyOutcome, AwaitedTask, ToolDetail, ToolInput } from './tools.ts'
import type { Usage } from './usage.ts'

type JsonValue = z.infer<ReturnType<typeof z.json>>

export type AgentEvent =
  /** A turn is one assistant message with its tool calls; it is durable before the next begins. */
  | { type: 'turn-started' }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'text-delta'; text: string }
  | { type: 'turn-ended'; usage?: Usage; model?: string }
  /** The agent's own word that it can't go on. An agent that simply returns has ended well. */
  | { type: 'failed'; message: string }

export interface ToolResult {
  outcome: 'ok' | 'error'
  /** What the agent is told. */
  output: string
  detail?: ToolDetail
  /** The shell's state after a bash call. */
  shell?: ShellState
  /** True: the run ends with this turn (`agent_report`). */
  endsRun?: boolean
}

/** `cd` and exported variables last from call to call within a run. */
export interface ShellState {
  /** Absolute. */
  cwd: string
  /** What the agent exported or changed, over the environment that it was given. */
  env: Record<string, string>
}

export interface AgentRunInput {
  taskId: TaskId
  /** The agent's name in its scenario. */
  agent: string
  prompt: string
  /** Every entry of the earlier runs, in order; empty on the first run of a task. */
  history: Entry[]
  /** Calls one tool and gives its result back. Rejects only when the run must end (aborted, or the record can't be written). */
  callTool(name: string, input: unknown, callId?: ToolCallId): Promise<ToolResult>
  cwd: string
  /** Aborted when the run is interrupted. */
  signal: AbortSignal
}

export interface Agent {
  run(input: AgentRunInput): AsyncIterable<AgentEvent>
}

/** A kind of agent made ready for one tree of tasks. */
export interface AgentProgram {
  /** What a task is called that was given no prompt; absent: by where the program came from. */
  name?: string
  /** The agent that the person's prompt goes to. */
  rootAgent: string
  /** Null: there is no agent of that name. */
  create(agent: string): Agent | null
}

/** Who an agent's `task` call asks for; what nobody said is absent. */
export type TaskRequest = ToolInput<'task'>

/** What the task tools need of the services. One for each running task; scope is checked there (A5). */
export interface TaskToolsPort {
  /** Resolves once the sub-agent's task is durable. Throws an Error whose message is for the agent. */
  spawn(request: TaskRequest, callId: ToolCallId): Promise<{ taskId: TaskId }>
  /** `all`, or titles and ids. Rejects on abort. `timeoutMs`: what has not settled by then is answered as it stands. */
  await(
    tasks: 'all' | string[],
    options: { timeoutMs?: number; signal: AbortSignal },
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

/** Replaces known secret values by a mark that names them (K3). */
export interface Masker {
  text(text: string): string
  /** The same of every string of a JSON value, keys included. */
  value<Value>(value: Value): Value
  /** For a text that comes in pieces: a value may be split over them. */
  stream(): MaskStream
}

export interface MaskStream {
  /** What of the text so far can't be the beginning of a secret. */
  push(piece: string): string
  /** What is left. */
  end(): string
}

/** Told of each file that a tool changed, before (with the old content) and after. */
export interface FileChangeRecorder {
  /** `path`: relative to the working directory. Null content: there is no file. Resolves once durable. */
  record(change: {
    callId: ToolCallId
    path: string
    before: Uint8Array | null
    after: Uint8Array | null
  }): Promise<void>
  /** Called with the old content before the file is touched: it goes to `file-history/` first. */
  keepOriginal(before: Uint8Array | null): Promise<void>
}

/** A command's output that is more than the agent is given, in a file of its own. */
export interface KeptOutput {
  /** Absolute; taken over by whoever keeps it. Its content is durable. */
  file: string
  sha256: string
  bytes: number
  /** What came after the most that is kept. */
  leftOutBytes: number
}

/** What every tool is given when it is called. */
export interface ToolContext {
  taskId: TaskId
  callId: ToolCallId
  /** File tools are confined to it, symlinks included. Absolute. */
  workingDir: string
  /** What every command of its shell starts from. */
  environment: Record<string, string>
  shell: ShellState
  mask: Masker
  signal: AbortSignal
  files: FileChangeRecorder
  /** Resolves once the record has it for good. The file is gone then. */
  keepOutput(output: KeptOutput): Promise<void>
  tasks: TaskToolsPort
}

/** Runs one tool. Answers an `error` result for anything the agent can act on; throws only what must end the run. */
export type RunTool = (name: string, input: unknown, context: ToolContext) => Promise<ToolResult>

/**
 * Removes from a working directory the temporary file of a call whose process was killed, and nothing else; no such
 * file is fine. Rejects as the system does when it can't be removed.
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
