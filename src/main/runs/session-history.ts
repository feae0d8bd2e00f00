/** What a task's own entries say of what it did and where it stopped. Pure. */
import { type DriftReport, type UnknownCall, unknownCallCharsMax } from '../../shared/drift.ts'
import type { Entry, WorkspaceSnapshotEntry } from '../../shared/entries.ts'
import { describeToolCall } from '../../shared/projections/describe-tool-call.ts'
import type { Task } from '../../shared/tasks.ts'
import { traitsOf } from '../../shared/tool-traits.ts'

/** The model of the last run, where the task has another one now. */
export function modelChange(task: Task, history: readonly Entry[]): DriftReport['modelChanged'] {
  const started = history.findLast((entry) => entry.type === 'run-start')
  if (!started) return null
  const from = started.model ?? null
  return from === task.model ? null : { from, to: task.model }
}

/** Calls of the last run without an outcome. Those that the ledger answers for are reconciled instead (S3). */
export function unknownCalls(history: readonly Entry[]): UnknownCall[] {
  const open = new Map<string, UnknownCall>()
  for (const entry of history) {
    if (entry.type === 'run-start') open.clear()
    else if (entry.type === 'tool-call' && traitsOf(entry.name)?.afterCrash !== 'ledger')
      open.set(entry.callId, unknownCall(entry))
    else if (entry.type === 'tool-result' && entry.outcome !== 'unknown') open.delete(entry.callId)
  }
  return [...open.values()]
}

function unknownCall({ name, input, at }: Extract<Entry, { type: 'tool-call' }>): UnknownCall {
  const described = describeToolCall(name, input)
  const subject = described.slice(name.length + 1) || name
  return {
    tool: name,
    subject:
      subject.length > unknownCallCharsMax
        ? `${subject.slice(0, unknownCallCharsMax - 1)}…`
        : subject,
    startedAt: new Date(at).toISOString(),
  }
}

/** The last state of the working directory that a run recorded; null when none was. */
export const lastSnapshot = (history: readonly Entry[]): WorkspaceSnapshotEntry | null =>
  history.findLast((entry) => entry.type === 'workspace-snapshot') ?? null

/** Of a tool that may leave other files than it found. A sub-agent in the same directory has a record of its own. */
export const mayChangeFiles = (name: string): boolean =>
  (traitsOf(name)?.changes ?? 'no-files') !== 'no-files'

/** What happened in the working directory after its last snapshot, or ever where there is none. */
interface Uncovered {
  /** By path: SHA-256 of what its edit tools left there; null: nothing. */
  written: Map<string, string | null>
  /** A tool was at work of which nobody knows what it changed. */
  unclear: boolean
}

/** What a task worked on, and how its last run ended. */
export interface Trail {
  snapshot: WorkspaceSnapshotEntry | null
  /** Paths that it changed in any run, relative to the working directory. */
  touched: Set<string>
  /** It changed more than its snapshots list. */
  touchedMore: boolean
  uncovered: Uncovered
  /**
   * When its last run was over for certain, in milliseconds; null when that is not recorded. After a crash this
   * is when the next start ended it in the record: when the process died nobody knows.
   */
  endedAt: number | null
  /** When what it left was recorded last: what others did after that is drift. */
  knownAt: number
}

/** `history`: every entry of its own runs. */
export function trailOf(history: readonly Entry[]): Trail {
  const snapshot = lastSnapshot(history)
  const touched = new Set<string>()
  let touchedMore = false
  for (const entry of history) {
    if (entry.type === 'file-history-snapshot') touched.add(entry.path)
    if (entry.type !== 'workspace-snapshot') continue
    for (const path of entry.changed) touched.add(path)
    touchedMore ||= entry.changedMore > 0
  }
  const end = history.findLast((entry) => entry.type === 'run-end')
  const started = history.findLast((entry) => entry.type === 'run-start')
  const isOver = end !== undefined && end.seq > (started?.seq ?? 0)
  return {
    snapshot,
    touched,
    touchedMore,
    uncovered: uncoveredSince(history, snapshot?.seq ?? 0),
    endedAt: isOver ? end.at : null,
    knownAt: snapshot?.at ?? history.at(0)?.at ?? 0,
  }
}

function uncoveredSince(history: readonly Entry[], seq: number): Uncovered {
  const written = new Map<string, string | null>()
  const unclear = new Set<string>()
  for (const entry of history) {
    if (entry.seq <= seq) continue
    if (entry.type === 'file-history-snapshot') written.set(entry.path, entry.after)
    if (entry.type === 'tool-call' && mayChangeFiles(entry.name)) unclear.add(entry.callId)
    // What an edit tool did is in the record, once it has a result; what a command did is not.
    if (
      entry.type === 'tool-result' &&
      entry.outcome !== 'unknown' &&
      traitsOf(entry.name)?.changes === 'one-file'
    )
      unclear.delete(entry.callId)
  }
  return { written, unclear: unclear.size > 0 }
}

/** Of a tool that may change files and does not say which. */
export const mayChangeAnyFile = (name: string): boolean => traitsOf(name)?.changes === 'any-files'
