/**
 * The interface of agents (G1 to G3). A driver opens a session of its kind of agent. The session
 * emits events and calls tools on its host; both pass one recorder, which makes each call durable
 * before the tool runs and its result durable before the agent gets it (J6). Kinds of agent are in
 * `src/main/agents`; `src/main/runs` runs them.
 */

import type { z } from 'zod'
import type { Cause } from '../records/causes.ts'
import type { Entry, MessageEntry, ToolResultEntry } from '../records/entries.ts'
import type { TaskId, ToolCallId } from '../records/ids.ts'
import type { RunSandbox } from '../records/sandbox.ts'
import type { Usage } from '../records/usage.ts'
import type {
  AgentSessionRef,
  CallBy,
  CallKind,
  CallLocation,
  ImageRef,
  PartId,
  PermissionAnswer,
  PermissionOption,
  PlanItem,
  ProviderData,
} from './agent-records.ts'
import type { AgentChoice, AgentKind, AgentSpec } from './agent-specs.ts'
import type { PermissionMode } from './permission-modes.ts'
import type { ApplyOutcome, AwaitedTask, ToolDetail, ToolInput } from './tools.ts'

type JsonValue = z.infer<ReturnType<typeof z.json>>

/**
 * Events may come out of order: a delta begins a part that has not begun, and the end of an unknown
 * part is ignored.
 */
export type AgentEvent =
  /** The agent's own store has this conversation under `ref`, which is passed back on resume. */
  | { type: 'session'; ref: AgentSessionRef; model?: string; capabilities?: JsonValue }
  /** A turn is one assistant message with its tool calls; it is durable before the next begins. */
  | { type: 'turn-started' }
  | { type: 'part-started'; part: PartId; kind: SpeechKind; providerData?: ProviderData }
  | { type: 'part-delta'; part: PartId; kind: SpeechKind; text: string }
  | { type: 'part-ended'; part: PartId; providerData?: ProviderData }
  /** A call that the agent executes, as it reports it: it may have ended before the report. */
  | ({
      type: 'call-started'
      callId: ToolCallId
      by: Exclude<CallBy, 'host'>
      name: string
    } & CallNews)
  | ({ type: 'call-updated'; callId: ToolCallId; output?: string } & CallNews)
  | {
      type: 'call-ended'
      callId: ToolCallId
      outcome: 'ok' | 'error'
      output: string
      detail?: ToolDetail
      providerData?: ProviderData
    }
  | { type: 'plan'; items: PlanItem[] }
  /**
   * `keptFromSeq` is the first entry that the agent keeps unsummarised; null if unknown. `images`
   * of the session are shown to it with the summary.
   */
  | { type: 'compacted'; summary: string; keptFromSeq: number | null; images?: ImageRef[] }
  /**
   * `turn`: of the turn so far, replacing earlier reports. `run`: in addition to that of its turns.
   */
  | { type: 'usage'; usage: Usage; of: 'turn' | 'run' }
  /** The attempt at this turn failed. Its text is superseded. */
  | { type: 'retrying'; cause: Cause; untilMs: number | null }
  /** Data that the driver can't interpret (G8). */
  | { type: 'foreign'; source: string; content: JsonValue }
  /** A `usage` of null is that of a later turn, which covers both; absent: not reported. */
  | {
      type: 'turn-ended'
      usage?: Usage | null
      model?: string
      stop?: string
      providerData?: ProviderData
    }
  /**
   * The agent can't continue. An agent that just returns has completed. `said`: the agent itself
   * reported the failure, so that its run has failed (T3).
   */
  | { type: 'failed'; cause: Cause }

export type SpeechKind = 'text' | 'reasoning'

interface CallNews {
  kind?: CallKind
  title?: string
  input?: JsonValue
  locations?: CallLocation[]
  providerData?: ProviderData
}

export type PromptPart = { type: 'text'; text: string } | ({ type: 'image' } & ShownImage)

interface ShownImage {
  mediaType: string
  /** The SHA-256 of `data`, in hex. */
  sha256: string
  data: Uint8Array
}

/** The environment of an agent's session. */
export interface AgentPlace {
  taskId: TaskId
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
  changedMeanwhile?: readonly string[]
  /** True for a sub-agent, whose run fails without a report (T3). */
  mustReport?: boolean
  /** True: it may read the record of its sub-agents. */
  readsRecord?: boolean
  /** What limits its commands; absent: not known. */
  sandbox?: RunSandbox
  /** What it may do unasked; absent or null: nothing is asked. */
  permissions?: PermissionMode | null
  /**
   * The reference to the agent's own store, from the newest run that had one; null if there is
   * none.
   */
  resume: AgentSessionRef | null
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

/** Shiplog's side of a session: the requests of a running agent. */
export interface AgentHost {
  /** Rejects only if the run must end: it was aborted, or the record can't be written. */
  callTool(call: HostCall, options?: CallOptions): Promise<ToolResult>
  /** Resolves with the answer once it is recorded; with a refusal if nobody answers. */
  ask(question: PermissionQuestion): Promise<PermissionAnswer>
  /**
   * Call it before each turn. Resolves once the turn may begin: a tree waits here while its budget
   * is used up (Q2). Rejects if the run must end. `messages`: messages of the person since the last
   * turn, already recorded. `isLast`: the person asked to wrap up (Q3); this turn may call only
   * `agent_report`, and no other follows. `note`: Shiplog's text about that, already recorded.
   */
  nextTurn(): Promise<NextTurn>
  /** Returns the messages without waiting, for an agent that ends if there is none. */
  messages(): Promise<PromptPart[][]>
}

interface NextTurn {
  messages: PromptPart[][]
  note: string | null
  isLast: boolean
  /** The messages, and all later entries, have this seq or a higher one. */
  fromSeq: number
  /** The person asked to summarise the conversation now. */
  compact: boolean
}

export interface HostCall {
  name: string
  input: unknown
  /** The agent's id for the call. If it is already in use, the call gets another one. */
  callId?: ToolCallId | undefined
  providerData?: ProviderData
}

interface CallOptions {
  /** Aborts only this call. */
  signal?: AbortSignal
  /** Called with the output of the running tool, as it will be recorded. */
  onOutput?: (text: string) => void
  /**
   * Once it is aborted, a call that waits for sub-agents returns how they stand. They continue, and
   * `task_await` returns their reports.
   */
  stopWaiting?: AbortSignal
}

export interface PermissionQuestion {
  callId: ToolCallId | null
  /** The complete description of the action (P2). */
  question: string
  options: PermissionOption[]
  /**
   * The same action as calls of Shiplog's tools, so that the modes and rules apply (P1, P3). Absent: only the mode that
   * allows everything, or a person, can allow it.
   */
  actions?: readonly AskedCall[]
  /**
   * The name of the agent that would run what the question shows, which its repository configures (K8). Only a person
   * can allow it, whatever the mode and the rules.
   */
  configures?: string
}

/** `cwd`: of its shell; absent: that of Shiplog's own shell. Absolute. */
export interface AskedCall {
  name: string
  input: unknown
  cwd?: string
}

/** A connection to an agent for one run. */
export interface AgentSession {
  /** Null if the agent has no store of its own. */
  ref: AgentSessionRef | null
  /** An empty prompt continues with the earlier prompts. */
  run(prompt: PromptPart[], host: AgentHost): AsyncIterable<AgentEvent>
  /** Asks the agent to end its turn. The run then has a grace period to end (G2). */
  cancel(): Promise<void>
  /**
   * Ends everything that the session started. Called once, however the run ended; the caller may
   * stop waiting for it.
   */
  close(): Promise<void>
}

/** Opens a session in `place`. Rejects with an Error that says what the person can do. */
export type OpenAgent = (place: AgentPlace) => Promise<AgentSession>

/**
 * A kind of agent. Long parts of a spec, such as the text of a scenario, are stored as files in the
 * session directory of the tree's root, and the spec refers to them.
 */
export interface AgentDriver<Choice = AgentChoice, Spec = AgentSpec, SubAgentSpec = Spec> {
  /**
   * Makes a spec from a person's choice. `dir` is the project's. Stores nothing. Rejects with an
   * Error that describes what is wrong, and where.
   */
  prepare(choice: Choice, dir: string): Promise<PreparedAgent<Spec>>
  /**
   * Returns the same agent on another model, given as `PROVIDER/MODEL`. Throws an Error that
   * describes what is wrong.
   */
  withModel(spec: Spec, model: string): Spec
  /** The names of the files that a spec refers to. */
  filesOf(spec: Spec): string[]
  /** Reports whether an agent of this spec could begin now (G7). Starts nothing. */
  check(spec: Spec, files: KeptFiles): Promise<Availability>
  /**
   * Makes the spec of a sub-agent that an agent of `spec` requests. `dir` is that agent's working
   * directory. Rejects with an Error for the agent to read.
   */
  subAgent(
    spec: Spec,
    name: string,
    place: { dir: string; files: KeptFiles },
  ): Promise<Omit<PreparedAgent<SubAgentSpec>, 'title'>>
  open(spec: Spec, place: AgentPlace, files: KeptFiles): Promise<AgentSession>
}

/** A kind without a driver does not compile. */
export type AgentDrivers = {
  [Kind in AgentKind]: AgentDriver<
    Extract<AgentChoice, { kind: Kind }>,
    Extract<AgentSpec, { kind: Kind }>,
    Kind extends 'scripted' ? Extract<AgentSpec, { kind: Kind }> : AgentSpec
  >
}

export interface PreparedAgent<Spec = AgentSpec> {
  spec: Spec
  /** Without known secrets (K3). */
  files: KeptFile[]
  /** The title of a task without a prompt. */
  title: string
}

/**
 * `name` is relative to the session directory, with `/` as separator. Its last part is the SHA-256
 * of the text in hex, with an extension, so that a changed file is detected.
 */
interface KeptFile {
  name: string
  text: string
}

export interface KeptFiles {
  /** Rejects with the system's error, or if the file was changed. */
  read(name: string): Promise<string>
}

export type Availability = { state: 'ready' } | { state: 'unavailable'; cause: Cause }

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

/** The request of a `task` call. Fields that were not given are absent. */
export type TaskRequest = ToolInput<'task'>

/**
 * The interface of the task tools to the services, one for each running task. It checks the scope
 * (A5).
 */
export interface TaskToolsPort {
  /** Resolves once the sub-agent's task is durable. Throws an Error whose message is for the agent. */
  spawn(request: TaskRequest, callId: ToolCallId): Promise<{ taskId: TaskId }>
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

/** Replaces known secret values by `[hidden: NAME]` (K3). */
export interface Masker {
  text(text: string): string
  /** Masks every string of a JSON value, including keys. */
  value<Value>(value: Value): Value
  /** Masks a streamed text, in which a value may be split over several pieces. */
  stream(): MaskStream
}

export interface MaskStream {
  /** Returns the masked text so far, without an end that may be the beginning of a secret. */
  push(piece: string): string
  /** Returns the rest. */
  end(): string
}

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
}

/** The context of a tool call. */
export interface ToolContext {
  taskId: TaskId
  callId: ToolCallId
  /** File tools are confined to it, symlinks included. Absolute. */
  workingDir: string
  /** The environment and directory for the commands of its shell. */
  environment: Record<string, string>
  /** Absent: commands run with all of the person's rights. */
  sandbox?: CommandSandbox
  shell: ShellState
  mask: Masker
  signal: AbortSignal
  /** Once it is aborted, a tool that waits for sub-agents returns how they stand. */
  stopWaiting?: AbortSignal | undefined
  /** Called with its output while it runs. Views show it until the result is recorded. */
  onOutput: (text: string) => void
  files: FileChangeRecorder
  /** Resolves once the record holds it durably. The file no longer exists then. */
  keepOutput(output: KeptOutput): Promise<void>
  /** Resolves once the agent's plan is recorded. It replaces the previous one. */
  recordPlan(items: PlanItem[]): Promise<void>
  /**
   * Resolves with the person's answer; the agent's slot is released meanwhile. Rejects if the run
   * ends first.
   */
  askPerson(asked: { question: string; choices: readonly string[] }): Promise<PersonAnswer>
  tasks: TaskToolsPort
}

export type PersonAnswer =
  | { kind: 'answered'; text: string }
  /** `message`: what the person wrote instead; may be empty. */
  | { kind: 'declined'; message: string }
  | { kind: 'nobody' }

/**
 * Runs one tool. Returns an `error` result for anything that the agent can react to; throws only if
 * the run must end.
 */
export type RunTool = (name: string, input: unknown, context: ToolContext) => Promise<ToolResult>

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
