/**
 * A session of an agent (G1 to G3): it emits events and calls tools on its host, which is Shiplog's side. Both pass one
 * recorder, which makes each call durable before the tool runs and its result durable before the agent gets it (J6).
 */

import type { TaskId, ToolCallId } from '../../records/ids.ts'
import type {
  AgentSessionRef,
  PermissionAnswer,
  PermissionOption,
  ProviderData,
} from '../agent-records.ts'
import type { CommandShell } from '../permissions.ts'
import type { AgentEvent } from './agent-events.ts'
import type { AgentPlace } from './agent-place.ts'
import type { PromptPart } from './prompt-parts.ts'
import type { ToolResult } from './tool-result.ts'

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

/** Opens a session in `place`. Rejects with an Error whose message contains the remedy. */
export type OpenAgent = (place: AgentPlace) => Promise<AgentSession>

/** Shiplog's side of a session: the requests of a running agent. */
export interface AgentHost {
  /** Rejects only if the run must end: it was aborted, or the record can't be written. */
  callTool(call: HostCall, options?: CallOptions): Promise<ToolResult>
  /** Resolves with the answer once it is recorded; with a refusal if nobody answers. */
  ask(question: PermissionQuestion): Promise<PermissionAnswer>
  /**
   * Call it before each turn. Resolves once the turn may begin: a tree waits here while its budget
   * is used up (Q2). Rejects if the run must end. `messages`: messages of the user since the last
   * turn, already recorded. `isLast`: the user asked to wrap up (Q3); this turn may call only
   * `agent_report`, and no other follows. `note`: Shiplog's text about that, already recorded.
   */
  nextTurn(): Promise<NextTurn>
  /** Returns the messages without waiting, for an agent that ends if there is none. */
  messages(): Promise<PromptPart[][]>
  /**
   * Reports that the agent starts, or has shown a sign of life while it starts. Its first event ends that. `agent`: its
   * name for people.
   */
  starting(agent: string): void
  /**
   * Resolves when the next request to the model may be made: after `delayMs`, or earlier if the user asks for it.
   * Rejects with the signal's reason.
   */
  waitToRetry(delayMs: number, signal: AbortSignal): Promise<void>
  /**
   * Creates a task for a sub-agent that the agent has started itself, and runs it in the folder of its parent, without a
   * slot (T5). Resolves once the task is durable. Rejects with an Error that explains why that is not possible.
   */
  adopt(subAgent: OwnSubAgent): Promise<{ taskId: TaskId }>
}

/** A sub-agent that an agent runs itself, in its own process. */
export interface OwnSubAgent {
  /** The call in the parent's record that started it. */
  callId: ToolCallId
  /** The agent's name for its role. */
  agent: string
  title: string
  prompt: string
  open: OpenAgent
}

interface NextTurn {
  messages: PromptPart[][]
  note: string | null
  isLast: boolean
  /** The messages, and all later entries, have this seq or a higher one. */
  fromSeq: number
  /** The user asked to summarise the conversation now. */
  compact: boolean
}

export interface HostCall {
  name: string
  input: unknown
  /** The agent's id for the call. If it is already in use, the call gets another one. */
  callId?: ToolCallId | undefined
  providerData?: ProviderData
}

export interface CallOptions {
  /** Aborts only this call. */
  signal?: AbortSignal
  /** Called with the output of the running tool, as it will be recorded. */
  onOutput?: (text: string) => void
  /**
   * Once it is aborted, a call that waits for sub-agents returns their current states. They continue, and
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
   * allows everything, or a user, can allow it.
   */
  actions?: readonly AskedCall[]
  /**
   * The name of the agent that would run what the question shows, which its repository configures (K8). Only a user
   * can allow it, whatever the mode and the rules.
   */
  configures?: string
}

export interface AskedCall {
  name: string
  input: unknown
  /** The directory of the agent's own shell, relative to that of Shiplog's shell or absolute. Absent: that of Shiplog's shell. */
  cwd?: string
  /** The shell that reads its command. Absent: that of Shiplog's tools. */
  shell?: CommandShell
}
