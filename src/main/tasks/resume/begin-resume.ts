/** Begins the new run of a task that is resumed. One that can't begin changes nothing (S5). */
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { refused } from '../../../shared/failure.ts'
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import {
  type DriftConflict,
  type DriftReport,
  describeDrift,
} from '../../../shared/records/drift.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import { runIdOf, type TaskId } from '../../../shared/records/ids.ts'
import type { ResumeCandidate } from '../../../shared/records/resume.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { causeOf } from '../../runs/interruption.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { Semaphore } from '../../runs/semaphore.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import type { FindDrift, FindObstacle, RestoreWorkingDir } from '../drift/index.ts'
import { type CheckedImage, keepImages } from '../messages/prompt-images.ts'
import type { Runner } from '../running/runner.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import { canBeResumed, type IsReserved } from './select.ts'

export interface BeginResumeDependencies {
  ledger: Ledger
  taskLedger: TaskLedger
  workspaces: WorkspaceService
  layout: Pick<DataLayout, 'sessionDir'>
  runs: RunRegistry
  /** Reports whether the task runs, waits for its turn, or is being restarted. */
  isReserved: IsReserved
  runner: Runner
  /** Resolves with the state of the task's own session. */
  pastOf: (task: Task) => Promise<SessionState>
  /** Resolves with the unreadable parts of the lineage. Rejects with FailureError if a part is missing. */
  checkLineage: (task: Task) => Promise<{ damage: string[] }>
  driftOf: FindDrift
  obstacleOf: FindObstacle
  /** Recreates a missing working directory (S4), completely or not at all. */
  restoreWorkingDir: RestoreWorkingDir
  /** Does so for a run of a task that was left in the queue. Resolves with entries that describe what was restored. */
  ensureWorkingDir: (task: Task) => Promise<EntryBody[]>
}

/** Reports whether the user has already seen a conflict. */
export type KnownConflicts = (conflict: DriftConflict) => boolean

interface Beginning {
  together: Semaphore | undefined
  /** The user's prompt to the task; may be empty. */
  said: string
  images: readonly CheckedImage[]
  known: KnownConflicts
  permissions: PermissionMode | undefined
}

export function createBeginResume(
  deps: BeginResumeDependencies & {
    recordConflicts: (taskId: TaskId, drift: DriftReport) => Promise<void>
  },
) {
  const { ledger, taskLedger, runs, runner, isReserved } = deps
  /** By task: the cause why its last resume never began. */
  const neverBegun = new Map<TaskId, Cause>()

  /** Resolves once it runs, or waits for its turn; rejects with why it can't begin. */
  async function begin(
    { taskId }: ResumeCandidate,
    { together, said, images, known, permissions }: Beginning,
  ): Promise<void> {
    await runner.flushDeferred(taskId)
    if (taskLedger.get(taskId).archived) {
      // Before anything is changed: a deleted history can't be continued.
      await deps.checkLineage(taskLedger.get(taskId))
      await deps.workspaces.restore(taskId)
    }
    const task = taskLedger.get(taskId)
    // Two may resume the same agent at once: one wins.
    if (!canBeResumed(task, isReserved))
      return refused('running', `"${task.title}" is already being resumed or restarted.`)
    neverBegun.delete(taskId)
    const kept = await keepImages(deps.layout.sessionDir(taskId), images)
    const wasQueued = task.status === 'queued'
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    runner.begin(taskId, {
      prompt: wasQueued ? [task.prompt, said].filter(Boolean).join('\n\n') : said,
      images: kept,
      reason: wasQueued ? 'prompt' : 'resume',
      together,
      onWaiting: resolve,
      prepare: async (signal) => {
        try {
          const prepared = wasQueued
            ? await deps.ensureWorkingDir(taskLedger.get(taskId))
            : await prepare(taskId, signal, known)
          if (permissions && task.options.permissions !== permissions)
            await ledger.record({ type: 'task.permissions-set', taskId, permissions })
          resolve()
          return prepared
        } catch (error) {
          neverBegun.set(taskId, causeOf(error))
          reject(error)
          throw error
        }
      },
    })
    // A run that is stopped before its turn also resolves: nothing was changed.
    void runs.ended(taskId).then(() => resolve())
    await promise
  }

  /** Checks the present state, which may have changed since the request, and restores the working directory. */
  async function prepare(
    taskId: TaskId,
    signal: AbortSignal,
    known: KnownConflicts,
  ): Promise<EntryBody[]> {
    const task = taskLedger.get(taskId)
    const past = await deps.pastOf(task)
    const drift = await deps.driftOf(task, past)
    const obstacle = await deps.obstacleOf(task, past)
    if (obstacle !== null) refused('removed', obstacle)
    if (drift.conflicts.some((conflict) => !known(conflict))) {
      await deps.recordConflicts(taskId, drift)
      const what = `Others changed files that "${task.title}" worked on while it waited for its turn.`
      refused('conflicts', `${what} Review the changes, and resume it again.`)
    }
    // The run reads the lineage again. Checked here so that a missing part prevents the run from beginning.
    const { damage } = await deps.checkLineage(task)
    const { restored } = await deps.restoreWorkingDir(task, past)
    await deps.workspaces.workingDirs.setUp(taskId, signal)
    const runId = runIdOf(taskId, task.runs.length + 1)
    return [{ type: 'resume', runId, drift: [...describeDrift(drift), ...damage, ...restored] }]
  }

  return { begin, whyNeverBegun: (taskId: TaskId): Cause | undefined => neverBegun.get(taskId) }
}
