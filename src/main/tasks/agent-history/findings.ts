/**
 * Fields of the history that the ledger lacks: the files that an agent changed, from Git, and the results in its
 * report. Looked up after a run has ended, one agent at a time, since no caller waits.
 */
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Findings } from './entries.ts'
import { type HistoryEntry, isObject, type JsonObject } from './format.ts'

export interface FindingsSource {
  /** Resolves with the paths that the task changed since it began; null if unknown. */
  changedPaths: (task: Task) => Promise<string[] | null>
  /** Resolves with the results in the task's newest report; null if there are none. */
  reportedResults: (task: Task) => Promise<unknown>
  /** Called for a failure that has no consequences. */
  onIgnored?: (what: string, error: unknown) => void
}

/** The fields that the file lacks. Git is not queried again for files that it contains. */
interface Wanted {
  files: boolean
  results: boolean
}

interface FindingsBoard {
  /** Returns the findings of the task's latest run; undefined until it has ended and was looked up. */
  of(task: Task): Findings | undefined
  /** Records that a run ended in this process, so that the file's fields are outdated. */
  ended(taskId: TaskId): void
  /** Returns the fields to look up; null if there are none. `entry` is the task's present entry in the file. */
  due(task: Task, entry: Partial<HistoryEntry>, options: { closing: boolean }): Wanted | null
  /** Resolves with true when something was found. Never rejects: unreadable fields stay unknown. */
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
      const available = { files: hasOwnWorktree(task), results: task.hasReport }
      if (endedHere.has(task.id)) return available
      // Fields that are only missing in the file can wait for the next start.
      if (closing) return null
      const wanted = {
        files: available.files && entry.files_modified === null,
        results: available.results && entry.task_results === null,
      }
      return wanted.files || wanted.results ? wanted : null
    },
    async lookUp(task, wanted) {
      const run = task.runs.at(-1)?.run ?? 0
      const unknown = (error: unknown) => {
        source.onIgnored?.(`the agent history of ${task.id} could not be completed`, error)
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

/** Reports whether the task has a worktree: in a shared folder, Git can't attribute changes to an agent. */
function hasOwnWorktree({ workspace }: Task): boolean {
  return workspace?.isolation === 'worktree' && workspace.baseCommit !== null
}
