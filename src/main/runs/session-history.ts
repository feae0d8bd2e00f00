/** What a session's past says of what it did and where it stopped. Pure. */
import type { DriftReport } from '../../shared/drift.ts'
import type { KnownTree, SessionState } from '../../shared/projections/session-state.ts'
import type { Task } from '../../shared/tasks.ts'
import { traitsOf } from '../../shared/tool-traits.ts'

/** The model of the last run, where the task has another one now. */
export function modelChange(task: Task, { run }: SessionState): DriftReport['modelChanged'] {
  return run === null || run.model === task.model ? null : { from: run.model, to: task.model }
}

/** Of a tool that may leave other files than it found. A sub-agent in the same directory has a record of its own. */
export const mayChangeFiles = (name: string): boolean =>
  (traitsOf(name)?.changes ?? 'no-files') !== 'no-files'

/** What happened in the working directory after its last snapshot, or ever where there is none. */
interface Uncovered {
  /** By path: SHA-256 of what its edit tools left there; null: nothing. */
  written: ReadonlyMap<string, string | null>
  /** A tool was at work of which nobody knows what it changed. */
  unclear: boolean
}

/** What a task worked on, and how its last run ended. */
export interface Trail {
  snapshot: KnownTree | null
  /** Paths that it changed in any run, relative to the working directory. */
  touched: ReadonlySet<string>
  /** It changed more than those. */
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

/** `state`: of its own session, without what it continues. The trail stays as it is when that goes on. */
export function trailOf(state: SessionState): Trail {
  const { tree, files, filesCut, sinceTree, run, runEnd, beganAt } = state
  const isOver = runEnd !== null && runEnd.seq > (run?.seq ?? 0)
  return {
    snapshot: tree,
    touched: new Set(files.keys()),
    touchedMore: filesCut,
    uncovered: {
      written: new Map(sinceTree.written),
      unclear: sinceTree.anyFile || sinceTree.unclearCalls.size > 0,
    },
    endedAt: isOver ? runEnd.at : null,
    knownAt: tree?.at ?? beganAt ?? 0,
  }
}

/** Of a tool that may change files and does not say which. */
export const mayChangeAnyFile = (name: string): boolean => traitsOf(name)?.changes === 'any-files'
