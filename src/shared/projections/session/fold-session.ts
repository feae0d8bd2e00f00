/** Folds the entries of a session into its state. Pure. */
import {
  type AgentSessionCost,
  type AgentSessionRef,
  noSessionCost,
} from '../../agents/agent-records.ts'
import { isRepeatedAfterCrash, traitsOf } from '../../agents/tool-traits.ts'
import { toolDetailSchema } from '../../agents/tools.ts'
import { assertNever } from '../../assert-never.ts'
import type { Cause } from '../../records/causes.ts'
import { type UnknownCall, unknownCallCharsMax } from '../../records/drift.ts'
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import { parseTaskId, type TaskId } from '../../records/ids.ts'
import { waitingPromptsMax } from '../../records/tasks/waiting-prompts.ts'
import { addUsage, noUsage } from '../../records/usage.ts'
import { describeToolCall } from '../tool-calls/describe-tool-call.ts'
import { appendBounded, setBounded } from './bounded-lists.ts'
import { foldTree, markAllChanged, markChanged } from './fold-files.ts'
import { filesMax, listedMax, type SessionState } from './session-state.ts'

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
  else if (entry.type === 'pr-link') appendBounded(state.links, entry.url, listedMax)
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
      if (setBounded(sinceTree.written, entry.path, entry.after, filesMax)) sinceTree.anyFile = true
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
      state.agentSessionCost = costAtEnd(state.agentSessionCost, entry.cause)
      break
    case 'worktree-state':
      state.worktree = entry.worktreeSession
      break
    case 'pr-link':
      appendBounded(state.links, entry.url, listedMax)
      break
    case 'title':
      state.titled = true
      break
    case 'agent-session':
      if (!isSameSession(state.agentSession, entry.ref)) state.agentSessionCost = noSessionCost
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
  const cost = state.agentSessionCost
  if (sessionCostUsd !== undefined)
    state.agentSessionCost = { ...cost, reportedUsd: sessionCostUsd }
  // Records of earlier versions have no sum: it is that of their turns.
  else if (usage?.pricedBy === 'agent')
    state.agentSessionCost = { ...cost, reportedUsd: cost.reportedUsd + (usage.costUsd ?? 0) }
  if (entry.status === 'complete')
    state.completed = { turns: state.completed.turns + 1, seq, resultSeq: state.resultSeq }
}

function costAtEnd(cost: AgentSessionCost, cause: Cause | null): AgentSessionCost {
  const wasKilled = cause?.kind === 'agent-died' && cause.exitCode !== 0
  // After a crash of Shiplog or of the machine it is not known how the agent's process ended.
  if (wasKilled || cause?.kind === 'crashed') return { ...cost, wasKilled }
  return { ...cost, savedUsd: cost.reportedUsd, wasKilled: false }
}

const isSameSession = (a: AgentSessionRef | null, b: AgentSessionRef): boolean =>
  a !== null && a.agent === b.agent && a.id === b.id

function foldCall(state: SessionState, entry: ToolCallEntry): void {
  const { seq, messageUuid, runId, turn, callId, name } = entry
  setBounded(state.openCalls, callId, { seq, messageUuid, runId, turn, callId, name }, listedMax)
  if (!isRepeatedAfterCrash(name))
    setBounded(state.unknownCalls, callId, unknownCallOf(entry), listedMax)
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
  if (name === 'task')
    for (const child of childrenIn(entry)) appendBounded(state.children, child, listedMax)
}

function childrenIn({ detail }: ToolResultEntry): TaskId[] {
  const parsed = toolDetailSchema.safeParse(detail)
  if (!parsed.success || parsed.data.kind !== 'tasks') return []
  return parsed.data.tasks.flatMap(({ taskId }) => parseTaskId(taskId) ?? [])
}
