/** Derives from a session's state which files the task worked on and how its last run ended. Pure. */

import { traitsOf } from '../../shared/agents/tool-traits.ts'
import type { KnownTree, SessionState } from '../../shared/projections/session/session-state.ts'
import type { DriftReport } from '../../shared/records/drift.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'

/** Returns the change of model since the last run; null if the model is the same, or the task never ran. */
export function modelChange(task: Task, { run }: SessionState): DriftReport['modelChanged'] {
  return run === null || run.model === task.model ? null : { from: run.model, to: task.model }
}

/** Reports whether the tool may change files. A sub-agent's changes are recorded in its own session. */
export const mayChangeFiles = (name: string): boolean =>
  (traitsOf(name)?.changes ?? 'no-files') !== 'no-files'

/** Changes in the working directory since the last snapshot, or since the start if there is none. */
interface Uncovered {
  /** By path: SHA-256 in hex of the content that its edit tools wrote; null if they deleted the file. */
  written: ReadonlyMap<string, string | null>
  /** True if a tool ran whose changes are unknown. */
  unclear: boolean
}

/** The files that a task worked on, and how its last run ended. */
export interface Trail {
  snapshot: KnownTree | null
  /** Paths that it changed in any run, relative to the working directory. */
  touched: ReadonlySet<string>
  /** True if the task changed more paths than `touched` lists. */
  touchedMore: boolean
  uncovered: Uncovered
  /**
   * When the end of its last run was recorded, in milliseconds since the epoch; null if it was not. After a crash, the
   * next start records it, because the time at which the process died is unknown.
   */
  endedAt: number | null
  /** When its files were last recorded, in milliseconds since the epoch: later changes by others are drift. */
  knownAt: number
}

/**
 * `state` is the state of the task's own session. The result is a copy, which later entries do not change.
 */
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

/** Reports whether the tool may change files without reporting which. */
export const mayChangeAnyFile = (name: string): boolean => traitsOf(name)?.changes === 'any-files'
