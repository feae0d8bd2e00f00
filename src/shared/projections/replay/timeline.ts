/** Creates the marks of a timeline from entries in file order. Pure; each page is independent of the ones before. */
import { toolDetailSchema } from '../../agents/tools.ts'
import { assertNever } from '../../assert-never.ts'
import {
  markAgentsMax,
  markDriftMax,
  markTextCharsMax,
  type TimelineMark,
  type TimelinePage,
} from '../../contract/transcripts/timeline.ts'
import { formatCause } from '../../records/causes.ts'
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import type { ToolCallId } from '../../records/ids.ts'
import { plainText } from '../../text/plain-text.ts'
import { activityOf } from '../tool-calls/describe-tool-call.ts'
import { isNotRun } from '../tool-calls/failed-call.ts'

interface TimelineFold {
  marks: TimelineMark[]
  /** Calls without a result, by their seq. */
  open: Map<ToolCallId, number>
  /** The directory and branch according to the marks so far; null: unknown. */
  place: { directory: string | null; branch: string | null } | null
}

export const emptyTimeline = (): TimelineFold => ({ marks: [], open: new Map(), place: null })

export const openCallsOf = ({ open }: TimelineFold): TimelinePage['open'] =>
  [...open].map(([callId, seq]) => ({ callId, seq }))

/** Folds one entry into `fold`, in place. */
export function addToTimeline(fold: TimelineFold, entry: Entry): void {
  const { marks } = fold
  const stamp = { seq: entry.seq, at: entry.at }
  switch (entry.type) {
    case 'message':
      return addMessage(fold, entry)
    case 'tool-call': {
      const { callId, turn, name, input, title, tree } = entry
      fold.open.set(callId, entry.seq)
      const text = line(title ?? activityOf(name, input, markTextCharsMax * 2))
      marks.push({ kind: 'call', ...stamp, turn, name, text, ...(tree && { files: true }) })
      return
    }
    case 'tool-result':
      return addResult(fold, entry)
    case 'workspace-snapshot': {
      const { turn, branch, changed, changedMore } = entry
      const [path] = changed
      fold.place = { directory: fold.place?.directory ?? null, branch }
      marks.push({
        kind: 'files',
        ...stamp,
        turn,
        branch,
        changed: changed.length + changedMore,
        ...(path !== undefined && { path: line(path) }),
      })
      return
    }
    case 'snapshot-failed':
      marks.push({ kind: 'files-failed', ...stamp, text: line(entry.reason) })
      return
    case 'worktree-state': {
      const { worktreePath: path = null, worktreeBranch: branch = null } =
        entry.worktreeSession ?? {}
      marks.push({ kind: 'worktree', ...stamp, path, branch })
      return
    }
    case 'run-start': {
      const { run, reason, model = null, permissions = null } = entry
      marks.push({ kind: 'run', ...stamp, run, reason, model, permissions })
      return
    }
    case 'run-end': {
      const { run, status, cause } = entry
      const text = cause ? line(formatCause(cause)) : ''
      marks.push({ kind: 'run-end', ...stamp, run, status, text })
      return
    }
    case 'resume': {
      const drift = entry.drift.slice(0, markDriftMax).map(line)
      const driftMore = entry.drift.length - drift.length
      marks.push({ kind: 'resume', ...stamp, drift, driftMore })
      return
    }
    case 'retrying':
      marks.push({
        kind: 'retry',
        ...stamp,
        turn: entry.turn,
        text: line(formatCause(entry.cause)),
      })
      return
    case 'permission': {
      const allowed = entry.answer?.allowed ?? null
      marks.push({ kind: 'permission', ...stamp, text: line(entry.question), allowed })
      return
    }
    case 'plan': {
      const done = entry.items.filter(({ status }) => status === 'completed').length
      marks.push({ kind: 'plan', ...stamp, done, total: entry.items.length })
      return
    }
    case 'compaction':
      marks.push({ kind: 'compaction', ...stamp })
      return
    case 'pr-link':
      marks.push({ kind: 'pull-request', ...stamp, url: entry.url })
      return
    case 'fork-start':
    case 'fork-end':
      marks.push({ kind: 'fork', ...stamp, begins: entry.type === 'fork-start' })
      return
    case 'unknown':
      marks.push({ kind: 'unknown', ...stamp, text: line(entry.originalType) })
      return
    case 'file-history-snapshot':
    case 'attribution-snapshot':
    case 'summary':
    case 'set-up':
    case 'agent-session':
    case 'title':
    case 'foreign':
      return
    default:
      return assertNever(entry)
  }
}

function addMessage(fold: TimelineFold, entry: MessageEntry): void {
  const { seq, at, role, cwd: directory, gitBranch: branch, turn, status, model, usage } = entry
  const { marks, place } = fold
  if (place?.directory !== directory || place.branch !== branch) {
    fold.place = { directory, branch }
    marks.push({ kind: 'place', seq, at, directory, branch })
  }
  if (entry.by === 'shiplog') return
  const text = beginningOf(entry)
  if (role === 'user') {
    marks.push({ kind: 'prompt', seq, at, text })
    return
  }
  marks.push({
    kind: 'turn',
    seq,
    at,
    turn,
    status,
    text,
    ...(model && { model }),
    ...(usage && { usage }),
  })
}

function addResult(fold: TimelineFold, entry: ToolResultEntry): void {
  const { seq, at, callId, turn, name, outcome, durationMs, shell, tree } = entry
  const call = fold.open.get(callId) ?? null
  fold.open.delete(callId)
  if (shell) fold.place = { directory: shell.cwd, branch: fold.place?.branch ?? null }
  const agents = agentsIn(entry)
  fold.marks.push({
    kind: 'result',
    seq,
    at,
    call,
    name,
    turn,
    outcome: isNotRun(entry) ? 'not-run' : outcome,
    durationMs,
    ...(call === null && { callId }),
    ...(shell && { directory: shell.cwd }),
    ...(agents.length > 0 && { agents }),
    ...(tree && { files: true }),
  })
}

function agentsIn({ detail, name }: ToolResultEntry) {
  // Parsing every detail would cost more than the rest of the fold.
  if (!name.startsWith('task')) return []
  const { data } = toolDetailSchema.safeParse(detail)
  if (data?.kind !== 'tasks') return []
  return data.tasks.slice(0, markAgentsMax).map(({ taskId, status }) => ({ taskId, status }))
}

function beginningOf({ parts }: MessageEntry): string {
  for (const part of parts) {
    const text = part.type === 'text' ? line(part.text) : ''
    if (text !== '') return text
  }
  return ''
}

/** The beginning of a text as one line, with its hidden characters visible. */
function line(text: string): string {
  const one = plainText(text.slice(0, markTextCharsMax * 4))
    .replace(/\s+/g, ' ')
    .trim()
  return one.length > markTextCharsMax
    ? `${one.slice(0, markTextCharsMax - 1).toWellFormed()}…`
    : one
}
