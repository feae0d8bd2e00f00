/**
 * The state of a session, folded from its entries one at a time, which answers questions about its
 * past without reading all of them (G9). Bounded: lists are cut at the limits below. Long values (a
 * call's input, a prompt's text, the authors of a file) stay in the journal, and the state has their
 * seq.
 */
import {
  type AgentSessionCost,
  type AgentSessionRef,
  noSessionCost,
  type PlanItem,
} from '../../agents/agent-records.ts'
import type { UnknownCall } from '../../records/drift.ts'
import type { Entry } from '../../records/entries.ts'
import type { RunEndEntry } from '../../records/entry-types/runs.ts'
import type { ToolCallEntry } from '../../records/entry-types/tool-calls.ts'
import type { EntryId, PromptId, RunId, TaskId, ToolCallId } from '../../records/ids.ts'
import { noUsage, type Usage } from '../../records/usage.ts'

/**
 * 20,000 files take 2 MB of JSON, which is read in about 20 ms. Beyond that, those changed longest
 * ago are dropped and `filesCut` is set: drift then compares everything through Git, and the
 * attribution of those files is lost.
 */
export const filesMax = 20_000
/**
 * The limit for calls, links, sub-agents and moves of HEAD, of which the newest are kept. Real
 * sessions have far fewer.
 */
export const listedMax = 1_000

/** A call without a result. Its input is in the entry `seq`. */
interface OpenCall extends Pick<ToolCallEntry, 'seq' | 'messageUuid' | 'runId' | 'turn' | 'name'> {
  callId: ToolCallId
  /** The user was asked and did not answer, or refused: the call has not run. */
  notRun?: true | undefined
}

/** The last recorded state of the working directory, without the paths. */
export type KnownTree = Pick<
  Extract<Entry, { type: 'workspace-snapshot' }>,
  'seq' | 'at' | 'head' | 'branch' | 'tree'
>

export interface ChangedFile {
  /** The time of the latest entry that changed it, in milliseconds. */
  changedAt: number
  /** Seq of the last `file-history-snapshot` of it; 0: none. */
  writtenSeq: number
  /** Seq of the last `attribution-snapshot` that holds it; 0: none. */
  attributedSeq: number
}

export interface SessionState {
  /** The seq of the last entry folded; 0 before the first. */
  seq: number
  /**
   * The number of open forks. Of entries in a fork only turn numbers, messages, usage, files and
   * links count (I5).
   */
  forkDepth: number
  /** When the first entry was written, in milliseconds; null before it. */
  beganAt: number | null
  /** When the last entry was written, in milliseconds; null before the first. */
  at: number | null
  /** The last recorded directory of the shell and branch, also within forks. */
  place: { directory: string | null; branch: string | null }
  messages: number
  titled: boolean
  /** The highest turn number of any entry, including interrupted turns; 0: none. */
  lastTurn: number
  /** The last message of the agent. */
  message: { uuid: EntryId; turn: number } | null
  /**
   * Complete turns: their number, the seq of the last one, and that of the last tool result before
   * it (0: none).
   */
  completed: { turns: number; seq: number; resultSeq: number }
  /** The seq of the last tool result; 0: none. */
  resultSeq: number
  /** The newest prompt; its text is in the entry `seq`. */
  prompt: { seq: number; runId: RunId; cwd: string } | null
  /** The newest messages that were sent to the agent while it ran, by their ids in the ledger. */
  steered: PromptId[]
  /** The last `run-start`. */
  run: { seq: number; run: number; model: string | null } | null
  /** The last `run-end`. */
  runEnd: { seq: number; run: number; status: RunEndEntry['status']; at: number } | null
  /** A report was accepted, and no run has failed since. */
  reported: boolean
  /** The variables that were last recorded as withheld; null: never. */
  withheld: string[] | null
  /** The worktree that it entered; null: none, or it was left. */
  worktree: Extract<Entry, { type: 'worktree-state' }>['worktreeSession']
  /**
   * The shell after the last call; `cwd` is null before the first one. Secret values are omitted,
   * because they are not recorded.
   */
  shell: { cwd: string | null; env: Map<string, string> }
  /** The open calls of all runs. */
  openCalls: Map<ToolCallId, OpenCall>
  /**
   * Calls of the last run without a known outcome, except those whose outcome is in the ledger
   * (S3).
   */
  unknownCalls: Map<ToolCallId, UnknownCall>
  /** The model of the last message that has one. */
  model: string | null
  usage: Usage
  /** The usage since the last `run-start`: the minimum for a run that crashed. */
  runUsage: Usage
  /** The last reference to the conversation in the agent's own store; null: none. */
  agentSession: AgentSessionRef | null
  /** What that conversation has cost. */
  agentSessionCost: AgentSessionCost
  /** The last recorded plan; null: none. */
  plan: PlanItem[] | null
  /** The first entry that was not replaced by a summary in the agent's context; 1: none was. */
  keptFromSeq: number
  /** The sub-agents in the results of its `task` calls, in that order. */
  children: TaskId[]
  /** Addresses of pull requests. */
  links: string[]
  tree: KnownTree | null
  /** Changes in the working directory after `tree`, or all changes if it is null. */
  sinceTree: {
    /** By path: SHA-256 of the content that its edit tools wrote; null: deleted. */
    written: Map<string, string | null>
    /** Calls that may have changed one file, whose outcome is not known. */
    unclearCalls: Set<ToolCallId>
    /** True if a tool ran whose changes are unknown. */
    anyFile: boolean
  }
  /** Moves of HEAD by its turns, in order; `from` null: the commit that its first run began at. */
  headMoves: { from: string | null; to: string }[]
  /** By path: every file that it changed in any run, the last changed last. */
  files: Map<string, ChangedFile>
  filePathChars: number
  /** True if it changed more files than `files` lists. */
  filesCut: boolean
}

export function emptySessionState(): SessionState {
  return {
    seq: 0,
    forkDepth: 0,
    beganAt: null,
    at: null,
    place: { directory: null, branch: null },
    messages: 0,
    titled: false,
    lastTurn: 0,
    message: null,
    completed: { turns: 0, seq: 0, resultSeq: 0 },
    resultSeq: 0,
    prompt: null,
    steered: [],
    run: null,
    runEnd: null,
    reported: false,
    withheld: null,
    worktree: null,
    shell: { cwd: null, env: new Map() },
    openCalls: new Map(),
    unknownCalls: new Map(),
    model: null,
    usage: noUsage,
    runUsage: noUsage,
    agentSession: null,
    agentSessionCost: noSessionCost,
    plan: null,
    keptFromSeq: 1,
    children: [],
    links: [],
    tree: null,
    sinceTree: { written: new Map(), unclearCalls: new Set(), anyFile: false },
    headMoves: [],
    files: new Map(),
    filePathChars: 0,
    filesCut: false,
  }
}
