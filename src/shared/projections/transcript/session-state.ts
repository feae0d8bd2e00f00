/**
 * The state of a session, folded from its entries one at a time, which answers questions about its
 * past without reading all of them (G9). Pure and bounded: lists are cut at the limits below. Long
 * values (a call's input, a prompt's text, the authors of a file) stay in the journal, and the
 * state has their seq.
 */
import type { AgentSessionRef, PlanItem } from '../../agents/agent-records.ts'
import { isMadeAgain, traitsOf } from '../../agents/tool-traits.ts'
import { toolDetailSchema } from '../../agents/tools.ts'
import { assertNever } from '../../assert-never.ts'
import { type UnknownCall, unknownCallCharsMax } from '../../records/drift.ts'
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { RunEndEntry } from '../../records/entry-types/runs.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import {
  type EntryId,
  type PromptId,
  parseTaskId,
  type RunId,
  type TaskId,
  type ToolCallId,
} from '../../records/ids.ts'
import { waitingPromptsMax } from '../../records/tasks/waiting-prompts.ts'
import { addUsage, noUsage, type Usage } from '../../records/usage.ts'
import { describeToolCall } from '../describe-tool-call.ts'

/**
 * 20,000 files take 2 MB of JSON, which is read in about 20 ms. Beyond that, those changed longest
 * ago are dropped and `filesCut` is set: drift then compares everything through Git, and the
 * attribution of those files is lost.
 */
export const filesMax = 20_000
const filePathCharsMax = 2_000_000
/**
 * The limit for calls, links, sub-agents and moves of HEAD, of which the newest are kept. Real
 * sessions have far fewer.
 */
export const listedMax = 1_000

/** A call without a result. Its input is in the entry `seq`. */
interface OpenCall extends Pick<ToolCallEntry, 'seq' | 'messageUuid' | 'runId' | 'turn' | 'name'> {
  callId: ToolCallId
  /** The person was asked and did not answer, or refused: the call has not run. */
  notRun?: true | undefined
}

/** The last recorded state of the working directory, without the paths. */
export type KnownTree = Pick<
  Extract<Entry, { type: 'workspace-snapshot' }>,
  'seq' | 'at' | 'head' | 'branch' | 'tree'
>

interface ChangedFile {
  /** The time of the latest entry that changed it, in milliseconds. */
  changedAt: number
  /** Seq of the last `file-history-snapshot` of it; 0: none. */
  writtenSeq: number
  /** Seq of the last `attribution-snapshot` that holds it; 0: none. */
  attributedSeq: number
}

export interface SessionState {
  /** Of the last entry folded; 0 before the first. */
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
  /** Of the last tool result; 0: none. */
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
  /** The worktree it is in; null: none, or it was left. */
  worktree: Extract<Entry, { type: 'worktree-state' }>['worktreeSession']
  /**
   * The shell after the last call; `cwd` is null before the first one. Secret values are omitted,
   * because they are not recorded.
   */
  shell: { cwd: string | null; env: Map<string, string> }
  /** Of all runs. */
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
  /** What that conversation has cost, as the agent reports it; 0: it reported nothing. */
  agentSessionCostUsd: number
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
    /** A tool ran whose changes are unknown. */
    anyFile: boolean
  }
  /** Moves of HEAD by its turns, in order; `from` null: the commit that its first run began at. */
  headMoves: { from: string | null; to: string }[]
  /** By path: every file that it changed in any run, the last changed last. */
  files: Map<string, ChangedFile>
  filePathChars: number
  /** It changed more files than `files` lists. */
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
    agentSessionCostUsd: 0,
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

/**
 * What a viewer shows of the state as of an entry. Small enough to be stored for hundreds of entries, and complete: the
 * later values of these fields depend on no other field.
 */
export type BriefState = Pick<
  SessionState,
  'seq' | 'forkDepth' | 'at' | 'place' | 'lastTurn' | 'run' | 'model' | 'usage'
>

export function briefOf(state: SessionState): BriefState {
  const { seq, forkDepth, at, place, lastTurn, run, model, usage } = state
  return { seq, forkDepth, at, place, lastTurn, run, model, usage }
}

/** Folds the entries that follow a brief state, in file order; null: the state before the first entry. */
export function foldFromBrief(brief: BriefState | null, entries: Iterable<Entry>): BriefState {
  const state = { ...emptySessionState(), ...brief }
  for (const entry of entries) foldSessionState(state, entry)
  return briefOf(state)
}

/**
 * Folds one entry into `state` in place, and returns `state`. Entries must come in file order (J9);
 * those already folded are ignored.
 */
export function foldSessionState(state: SessionState, entry: Entry): SessionState {
  if (entry.seq <= state.seq) return state
  state.seq = entry.seq
  state.beganAt ??= entry.at
  state.at = entry.at
  foldPlace(state, entry)
  if ('turn' in entry && entry.turn !== null) state.lastTurn = Math.max(state.lastTurn, entry.turn)
  if (entry.type === 'fork-end') state.forkDepth = Math.max(0, state.forkDepth - 1)
  if (state.forkDepth > 0) foldForked(state, entry)
  else foldConversation(state, entry)
  if (entry.type === 'fork-start') state.forkDepth++
  return state
}

/** Replaces `place`, because brief states share it. */
function foldPlace(state: SessionState, entry: Entry): void {
  if (entry.type === 'message') state.place = { directory: entry.cwd, branch: entry.gitBranch }
  else if (entry.type === 'tool-result' && entry.shell)
    state.place = { ...state.place, directory: entry.shell.cwd }
  else if (entry.type === 'workspace-snapshot')
    state.place = { ...state.place, branch: entry.branch }
}

/** Folds an entry of a fork, from which the conversation does not continue. */
function foldForked(state: SessionState, entry: Entry): void {
  if (entry.type === 'message') countMessage(state, entry)
  else if (entry.type === 'pr-link') list(state.links, entry.url)
  else if (entry.type === 'workspace-snapshot') markAllChanged(state, entry)
  else if (entry.type === 'file-history-snapshot')
    markChanged(state, entry.path, entry.at, { writtenSeq: entry.seq })
}

function foldConversation(state: SessionState, entry: Entry): void {
  switch (entry.type) {
    case 'message':
      foldMessage(state, entry)
      break
    case 'tool-call':
      foldCall(state, entry)
      break
    case 'tool-result':
      foldResult(state, entry)
      break
    case 'file-history-snapshot': {
      markChanged(state, entry.path, entry.at, { writtenSeq: entry.seq })
      const { sinceTree } = state
      if (put(sinceTree.written, entry.path, entry.after, filesMax)) sinceTree.anyFile = true
      break
    }
    case 'attribution-snapshot':
      for (const path of Object.keys(entry.files))
        markChanged(state, path, entry.at, { attributedSeq: entry.seq })
      break
    case 'workspace-snapshot':
      foldTree(state, entry)
      break
    case 'run-start':
      state.run = { seq: entry.seq, run: entry.run, model: entry.model ?? null }
      state.withheld = entry.withheld ?? state.withheld
      state.runUsage = noUsage
      state.unknownCalls.clear()
      break
    case 'run-end':
      state.runEnd = { seq: entry.seq, run: entry.run, status: entry.status, at: entry.at }
      // A run may fail after its report: then the report was not the end of the task.
      if (entry.status === 'failed') state.reported = false
      break
    case 'worktree-state':
      state.worktree = entry.worktreeSession
      break
    case 'pr-link':
      list(state.links, entry.url)
      break
    case 'title':
      state.titled = true
      break
    case 'agent-session':
      if (!isSameSession(state.agentSession, entry.ref)) state.agentSessionCostUsd = 0
      state.agentSession = entry.ref
      break
    case 'plan':
      state.plan = entry.items.slice(0, listedMax)
      break
    case 'compaction':
      state.keptFromSeq = entry.keptFromSeq ?? entry.seq
      break
    case 'permission':
      foldPermission(state, entry)
      break
    case 'retrying':
    case 'foreign':
    case 'fork-start':
    case 'fork-end':
    case 'resume':
    case 'summary':
    case 'set-up':
    case 'snapshot-failed':
    case 'unknown':
      break
    default:
      assertNever(entry)
  }
}

function countMessage(state: SessionState, { usage }: MessageEntry): void {
  state.messages++
  if (!usage) return
  state.usage = addUsage(state.usage, usage)
  state.runUsage = addUsage(state.runUsage, usage)
}

function foldMessage(state: SessionState, entry: MessageEntry): void {
  const { seq, uuid, role, runId, cwd, turn } = entry
  countMessage(state, entry)
  if (entry.by === 'shiplog') return
  if (role === 'user') {
    state.prompt = { seq, runId, cwd }
    if (entry.promptId) state.steered = [...state.steered, entry.promptId].slice(-waitingPromptsMax)
    return
  }
  state.message = { uuid, turn: turn ?? 0 }
  state.model = entry.model ?? state.model
  const { usage, sessionCostUsd } = entry
  if (sessionCostUsd !== undefined) state.agentSessionCostUsd = sessionCostUsd
  // Records of earlier versions have no sum: it is that of their turns.
  else if (usage?.pricedBy === 'agent') state.agentSessionCostUsd += usage.costUsd ?? 0
  if (entry.status === 'complete')
    state.completed = { turns: state.completed.turns + 1, seq, resultSeq: state.resultSeq }
}

const isSameSession = (a: AgentSessionRef | null, b: AgentSessionRef): boolean =>
  a !== null && a.agent === b.agent && a.id === b.id

function foldCall(state: SessionState, entry: ToolCallEntry): void {
  const { seq, messageUuid, runId, turn, callId, name } = entry
  put(state.openCalls, callId, { seq, messageUuid, runId, turn, callId, name }, listedMax)
  if (!isMadeAgain(name)) put(state.unknownCalls, callId, unknownCallOf(entry), listedMax)
  const { sinceTree } = state
  const changes = traitsOf(name)?.changes
  if (changes === 'any-files') sinceTree.anyFile = true
  if (changes !== 'one-file') return
  sinceTree.unclearCalls.add(callId)
  if (sinceTree.unclearCalls.size <= listedMax) return
  // Too many to list.
  sinceTree.unclearCalls.clear()
  sinceTree.anyFile = true
}

function foldPermission(
  { openCalls }: SessionState,
  { callId, answer }: Extract<Entry, { type: 'permission' }>,
): void {
  const call = callId === null ? undefined : openCalls.get(callId)
  if (!call) return
  const { notRun: _, ...known } = call
  openCalls.set(call.callId, answer?.allowed ? known : { ...known, notRun: true })
}

function unknownCallOf({ name, input, at }: ToolCallEntry): UnknownCall {
  const subject = describeToolCall(name, input).slice(name.length + 1) || name
  const shown =
    subject.length > unknownCallCharsMax ? `${subject.slice(0, unknownCallCharsMax - 1)}…` : subject
  return { tool: name, subject: shown, startedAt: new Date(at).toISOString() }
}

function foldResult(state: SessionState, entry: ToolResultEntry): void {
  const { seq, callId, name, outcome, shell } = entry
  state.resultSeq = seq
  state.openCalls.delete(callId)
  if (outcome !== 'unknown') {
    state.unknownCalls.delete(callId)
    // The changes of an edit tool are recorded with its result; those of a command are not.
    if (traitsOf(name)?.changes === 'one-file') state.sinceTree.unclearCalls.delete(callId)
  }
  if (shell) {
    state.shell.cwd = shell.cwd
    for (const [variable, value] of Object.entries(shell.env)) {
      if (value === null) state.shell.env.delete(variable)
      else state.shell.env.set(variable, value)
    }
    for (const variable of shell.hidden ?? []) state.shell.env.delete(variable)
  }
  if (name === 'agent_report' && outcome === 'ok') state.reported = true
  if (name === 'task') for (const child of childrenIn(entry)) list(state.children, child)
}

function childrenIn({ detail }: ToolResultEntry): TaskId[] {
  const parsed = toolDetailSchema.safeParse(detail)
  if (!parsed.success || parsed.data.kind !== 'tasks') return []
  return parsed.data.tasks.flatMap(({ taskId }) => parseTaskId(taskId) ?? [])
}

function foldTree(
  state: SessionState,
  entry: Extract<Entry, { type: 'workspace-snapshot' }>,
): void {
  const { seq, at, head, branch, tree, turn, changed } = entry
  markAllChanged(state, entry)
  // At the start of a run, it only records the state that was found.
  const isOwn = turn !== null || changed.length > 0
  const from = state.tree ? state.tree.head : null
  const isKnown = state.tree === null || from !== null
  if (isOwn && isKnown && head !== null && head !== from) {
    state.headMoves.push({ from, to: head })
    if (state.headMoves.length > listedMax) state.headMoves.shift()
  }
  state.tree = { seq, at, head, branch, tree }
  state.sinceTree = { written: new Map(), unclearCalls: new Set(), anyFile: false }
}

function markAllChanged(
  state: SessionState,
  { changed, changedMore, at }: Extract<Entry, { type: 'workspace-snapshot' }>,
): void {
  for (const path of changed) markChanged(state, path, at, {})
  state.filesCut ||= changedMore > 0
}

function markChanged(
  state: SessionState,
  path: string,
  at: number,
  marks: Partial<Pick<ChangedFile, 'writtenSeq' | 'attributedSeq'>>,
): void {
  const { files } = state
  const known = files.get(path)
  if (known) files.delete(path)
  else state.filePathChars += path.length
  const changedAt = Math.max(known?.changedAt ?? at, at)
  files.set(path, { writtenSeq: 0, attributedSeq: 0, ...known, ...marks, changedAt })
  while (files.size > filesMax || state.filePathChars > filePathCharsMax) {
    const [oldest] = files.keys()
    if (oldest === undefined) break
    files.delete(oldest)
    state.filePathChars -= oldest.length
    state.filesCut = true
  }
}

/** Appends the key, and removes the first one if there are too many. Returns whether it did. */
function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): boolean {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return false
  const [oldest] = map.keys()
  return map.delete(oldest as Key)
}

function list<Item>(items: Item[], item: Item): void {
  if (items.includes(item)) return
  items.push(item)
  if (items.length > listedMax) items.shift()
}
