/**
 * The state at a moment of a transcript, folded from the marks of its timeline. States are stored at intervals, so that
 * any moment among 50,000 entries takes a fraction of a millisecond. Pure.
 */

import type { PermissionMode } from '../../agents/permission-modes.ts'
import { firstIndexOf } from '../../collections/first-index.ts'
import type { TimelineMark, TimelinePage } from '../../contract/transcripts/timeline.ts'
import type { TaskId, ToolCallId } from '../../records/ids.ts'
import type { TaskStatus } from '../../records/tasks/task-status.ts'
import { addUsage, noUsage, type Usage } from '../../records/usage.ts'
import { hasFailed } from '../tool-calls/failed-call.ts'

/** The last state of a sub-agent that was reported to its parent. */
interface SeenAgent {
  /** The status in the last call that reported it. */
  status: TaskStatus
  /** The seqs of the first and the last result that reported it. */
  firstSeq: number
  seq: number
  /** When it was last reported. */
  at: number
}

interface ReplayRun {
  seq: number
  run: number
  reason: 'prompt' | 'resume' | 'retry'
  /** Null: it had not ended. */
  ended: { status: 'completed' | 'interrupted' | 'failed'; text: string } | null
}

export interface ReplayState {
  /** The seq of the last mark; 0 before the first one. */
  seq: number
  at: number | null
  forkDepth: number
  turns: number
  directory: string | null
  branch: string | null
  worktree: { path: string; branch: string | null } | null
  run: ReplayRun | null
  /** The model that answered last; null: none has. */
  model: string | null
  /** The initial model of the run. */
  runModel: string | null
  permissions: PermissionMode | null
  usage: Usage
  /** Input tokens of the last request; null: no request has reported them. */
  contextTokens: number | null
  compactions: number
  /** The entry of the plan. */
  plan: { seq: number; done: number; total: number } | null
  agents: ReadonlyMap<TaskId, SeenAgent>
  /** The calls without a result so far, in order. */
  running: readonly { seq: number; text: string }[]
  /** The number of failed results. */
  failedCalls: number
  /** The last resume. */
  resume: Extract<TimelineMark, { kind: 'resume' }> | null
  /** The entry that last recorded the files. */
  filesSeq: number | null
  /** Why a later snapshot failed; null: none did. */
  filesFailed: string | null
  pullRequest: string | null
}

const before: ReplayState = {
  seq: 0,
  at: null,
  forkDepth: 0,
  turns: 0,
  directory: null,
  branch: null,
  worktree: null,
  run: null,
  model: null,
  runModel: null,
  permissions: null,
  usage: noUsage,
  contextTokens: null,
  compactions: 0,
  plan: null,
  agents: new Map(),
  running: [],
  failedCalls: 0,
  resume: null,
  filesSeq: null,
  filesFailed: null,
  pullRequest: null,
}

/** Marks between two stored states. */
const storedEvery = 256

export interface Timeline {
  marks: readonly TimelineMark[]
  /** Where the next page begins. */
  nextSeq: number
  /** Entries in the transcript, as far as known. */
  total: number
  /** Calls without a result so far. */
  open: ReadonlyMap<ToolCallId, number>
  /** Every `storedEvery` marks. */
  stored: readonly ReplayState[]
}

export const emptyTimelineOf = (): Timeline => ({
  marks: [],
  nextSeq: 1,
  total: 0,
  open: new Map(),
  stored: [before],
})

/** Returns the timeline with one more page; `page` begins at its `nextSeq`. */
export function withPage(timeline: Timeline, page: TimelinePage): Timeline {
  const open = new Map(timeline.open)
  const added = page.marks.map((mark) => {
    if (mark.kind !== 'result' || mark.call !== null || mark.callId === undefined) return mark
    const call = open.get(mark.callId)
    open.delete(mark.callId)
    return call === undefined ? mark : { ...mark, call }
  })
  for (const { callId, seq } of page.open) open.set(callId, seq)
  const marks = [...timeline.marks, ...added]
  const stored = [...timeline.stored]
  let state = stateOfMark(timeline, timeline.marks.length - 1)
  for (let index = timeline.marks.length; index < marks.length; index++) {
    state = folded(state, marks[index] as TimelineMark)
    if ((index + 1) % storedEvery === 0) stored.push(state)
  }
  const { nextSeq, total } = page
  return { marks, nextSeq, total: Math.max(timeline.total, total), open, stored }
}

/** Returns the index of the last mark at or before the entry `seq`; -1 if all are after it. */
export function markAt({ marks }: Pick<Timeline, 'marks'>, seq: number): number {
  return firstIndexOf(marks, (mark) => mark.seq > seq) - 1
}

/** The state after the entry `seq`. */
export const stateAtSeq = (timeline: Timeline, seq: number): ReplayState =>
  stateOfMark(timeline, markAt(timeline, seq))

function stateOfMark({ marks, stored }: Timeline, index: number): ReplayState {
  const from = Math.floor((index + 1) / storedEvery)
  let state = stored[from] ?? before
  for (let at = from * storedEvery; at <= index; at++)
    state = folded(state, marks[at] as TimelineMark)
  return state
}

function folded(state: ReplayState, mark: TimelineMark): ReplayState {
  const { seq, at } = mark
  const next: ReplayState = { ...state, seq, at }
  if ('turn' in mark && mark.turn !== null) next.turns = Math.max(state.turns, mark.turn)
  foldPlace(next, mark)
  if (mark.kind === 'fork') next.forkDepth = Math.max(0, state.forkDepth + (mark.begins ? 1 : -1))
  else if (mark.kind === 'turn' && mark.usage) next.usage = addUsage(state.usage, mark.usage)
  // Within an abandoned branch only the above counts, as in the state of a session.
  if (state.forkDepth === 0) foldConversation(next, mark)
  return next
}

function foldPlace(state: ReplayState, mark: TimelineMark): void {
  if (mark.kind === 'place') {
    state.directory = mark.directory
    state.branch = mark.branch
  } else if (mark.kind === 'result') state.directory = mark.directory ?? state.directory
  else if (mark.kind === 'files') state.branch = mark.branch
}

function foldConversation(state: ReplayState, mark: TimelineMark): void {
  if ('files' in mark && mark.files) recordFiles(state, mark.seq)
  switch (mark.kind) {
    case 'turn':
      state.model = mark.model ?? state.model
      state.contextTokens = mark.usage?.inputTokens || state.contextTokens
      break
    case 'call':
      state.running = [...state.running, { seq: mark.seq, text: mark.text }]
      break
    case 'result':
      state.running = state.running.filter(({ seq }) => seq !== mark.call)
      if (hasFailed(mark)) state.failedCalls++
      if (mark.agents) state.agents = withReported(state.agents, mark)
      break
    case 'files':
      recordFiles(state, mark.seq)
      break
    case 'files-failed':
      state.filesFailed = mark.text
      break
    case 'worktree':
      state.worktree = mark.path === null ? null : { path: mark.path, branch: mark.branch }
      break
    case 'run':
      state.run = { seq: mark.seq, run: mark.run, reason: mark.reason, ended: null }
      state.runModel = mark.model
      state.permissions = mark.permissions
      state.running = []
      break
    case 'run-end':
      if (state.run) state.run = { ...state.run, ended: { status: mark.status, text: mark.text } }
      // No call outlives its run.
      state.running = []
      break
    case 'resume':
      state.resume = mark
      break
    case 'plan':
      state.plan = { seq: mark.seq, done: mark.done, total: mark.total }
      break
    case 'compaction':
      state.compactions++
      break
    case 'pull-request':
      state.pullRequest = mark.url
      break
    default:
  }
}

function recordFiles(state: ReplayState, seq: number): void {
  state.filesSeq = seq
  state.filesFailed = null
}

function withReported(
  known: ReplayState['agents'],
  { seq, at, agents = [] }: Extract<TimelineMark, { kind: 'result' }>,
): ReplayState['agents'] {
  const next = new Map(known)
  for (const { taskId, status } of agents)
    next.set(taskId, { status, firstSeq: known.get(taskId)?.firstSeq ?? seq, seq, at })
  return next
}
