/**
 * What the history says of an agent that the ledger does not know: the files it changed, from Git, and the
 * results it gave with its report. Looked up after a run has ended, one agent at a time, since nobody waits.
 */
import type { TaskId } from '../../../shared/ids.ts'
import { isRunning, type Task } from '../../../shared/tasks.ts'
import type { Findings } from './entries.ts'
import { type HistoryEntry, isObject, type JsonObject } from './format.ts'

export interface FindingsSource {
  /** Paths that it changed since it began; null where nobody can tell. */
  changedPaths: (task: Task) => Promise<string[] | null>
  /** What its newest report came with; null when it came with nothing. */
  reportedResults: (task: Task) => Promise<unknown>
  /** A failure that stops nothing. */
  onIgnored?: (what: string, error: unknown) => void
}

/** What the file does not say yet. Git is not asked again for files that it does say. */
interface Wanted {
  files: boolean
  results: boolean
}

interface FindingsBoard {
  /** Of its latest run, once that has ended and was looked at. */
  of(task: Task): Findings | undefined
  /** A run of it has ended in this process: what the file says of it is of an earlier one. */
  ended(taskId: TaskId): void
  /** What is to be looked up; null when nothing is. `entry`: what the file says of it now. */
  due(task: Task, entry: Partial<HistoryEntry>, options: { closing: boolean }): Wanted | null
  /** Resolves with true when something was found. Never rejects: what can't be read stays unknown. */
  lookUp(task: Task, wanted: Wanted): Promise<boolean>
}

export function createFindings(source: FindingsSource): FindingsBoard {
  const found = new Map<TaskId, Findings & { run: number }>()
  const endedHere = new Set<TaskId>()

  return {
    of: (task) => {
      const known = found.get(task.id)
      return known?.run === task.runs.at(-1)?.run ? known : undefined
    },
    ended: (taskId) => void endedHere.add(taskId),
    due(task, entry, { closing }) {
      const run = task.runs.at(-1)?.run
      if (run === undefined || isRunning(task.status) || task.purged) return null
      if (found.get(task.id)?.run === run) return null
      const canTell = { files: hasOwnWorktree(task), results: task.hasReport }
      if (endedHere.has(task.id)) return canTell
      // What is only missing in the file can wait for the next start.
      if (closing) return null
      const wanted = {
        files: canTell.files && entry.files_modified === null,
        results: canTell.results && entry.task_results === null,
      }
      return wanted.files || wanted.results ? wanted : null
    },
    async lookUp(task, wanted) {
      const run = task.runs.at(-1)?.run ?? 0
      const unknown = (error: unknown) => {
        source.onIgnored?.(`the agent history says nothing more of ${task.id}`, error)
        return null
      }
      const paths = wanted.files ? await source.changedPaths(task).catch(unknown) : null
      const results = wanted.results ? await source.reportedResults(task).catch(unknown) : null
      const findings: Findings = {
        files: paths?.toSorted() ?? null,
        results: isObject(results) ? (results as JsonObject) : null,
      }
      found.set(task.id, { ...findings, run })
      endedHere.delete(task.id)
      return findings.files !== null || findings.results !== null
    },
  }
}

/** In a shared folder Git can't tell whose changes they are. */
function hasOwnWorktree({ workspace }: Task): boolean {
  return workspace?.isolation === 'worktree' && workspace.baseCommit !== null
}
