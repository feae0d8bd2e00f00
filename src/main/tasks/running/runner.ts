/**
 * Runs queued tasks: waits for dependencies and a slot, makes the working directory, executes the run, records its
 * end in the ledger, and cleans up.
 */

import { messageOf } from '../../../shared/error-message.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ProcessIdentity } from '../../../shared/records/tasks/runs.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { causeOf, Interruption } from '../../runs/interruption.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { Slot } from '../../runs/semaphore.ts'
import { createRetryWaits } from '../activity/retry-waits.ts'
import { createSilenceMonitor } from '../activity/silence.ts'
import { createShowWait } from '../activity/waits.ts'
import type { TreeLimits } from '../limits/tree-limits.ts'
import { createDeferredEvents } from '../state/deferred-events.ts'
import { blockedBy, dependenciesOf } from '../state/dependencies.ts'
import { endEvent } from '../state/run-end.ts'
import { waitUntilOver } from '../state/waiting.ts'
import { createCleanUps } from './clean-up.ts'
import { createRecordedRuns, type RecordedRunDependencies } from './recorded-run.ts'
import type { RunRequest } from './run-request.ts'
import { createRunSlots } from './run-slots.ts'

export interface Runner {
  /** Queues a run of the task and returns at once; the ledger records how the run ends. */
  begin(taskId: TaskId, request: RunRequest): void
  /** Starts tasks that an earlier process left in the queue; other tasks may be waiting for them. */
  startQueued(taskIds: TaskId[]): void
  /** Removes the workspace of a finished sub-agent, then those of its ancestors that became leaves. */
  cleanUp(taskId: TaskId): Promise<void>
  /** Records the end of the task if an earlier attempt failed. Rejects with the error of the disk. */
  flushDeferred(taskId: TaskId): Promise<void>
  /** Resolves when every clean-up that was started has ended. For closing. */
  cleanUpsSettled(): Promise<void>
  /** Reports whether the agent runs in its parent's process. */
  isAttached(taskId: TaskId): boolean
  /** Ends the waits of these agents before their next request to a model, and returns those that waited. */
  endRetryWaits(taskIds: readonly TaskId[]): TaskId[]
  /** Releases the agent's slot while `work` waits for other agents (T5). */
  withoutSlot<T>(taskId: TaskId, work: () => Promise<T>): Promise<T>
}

interface RunnerDependencies extends RecordedRunDependencies {
  ledger: Ledger
  runs: RunRegistry
  /** Restores the working directory if it is gone (S4). Resolves with entries that describe what was restored. */
  ensureWorkingDir: (task: Task) => Promise<EntryBody[]>
  limits: Pick<TreeLimits, 'forRun' | 'ended'>
  process: ProcessIdentity
}

export function createRunner(deps: RunnerDependencies): Runner {
  const { ledger, taskLedger, sessions, workspaces, runs, activity } = deps
  const silenceMonitor = createSilenceMonitor({ activity, clock: deps.clock })
  const slots = createRunSlots({
    taskLedger,
    showWait: createShowWait(activity, silenceMonitor.recordProgress),
  })
  const cleanUps = createCleanUps(deps)
  const { cleanUp } = cleanUps
  const retryWaits = createRetryWaits({
    activity,
    clock: deps.clock,
    onContinue: silenceMonitor.recordProgress,
  })
  const recordedRuns = createRecordedRuns({ ...deps, slots, silenceMonitor, retryWaits })
  const deferred = createDeferredEvents({
    transition: taskLedger.transition,
    onRecorded: (taskId) => void cleanUp(taskId),
    onDeferred: ({ taskId }, error) =>
      deps.onProblem(
        `The end of "${taskLedger.get(taskId).title}" could not be recorded, and will be recorded as soon as the disk allows it: ${messageOf(error)}`,
        error,
      ),
  })

  function begin(taskId: TaskId, request: RunRequest): void {
    runs.begin(taskId, async (signal) => {
      try {
        activity.set(taskId, { state: 'waiting' })
        await queue(taskId, request, signal)
      } catch (error) {
        const { title, status, parentId } = taskLedger.get(taskId)
        const cause = { kind: 'not-started', step: 'run', detail: messageOf(error) } as const
        deps.onProblem(`"${title}" could not continue; ${formatCause(cause)}`, error)
        // A root can be prompted again. A sub-agent must end, because its parent may be waiting for it.
        if (status === 'queued' && parentId !== null)
          await deferred.record({ type: 'task.cancelled', taskId, cause })
      } finally {
        activity.clear(taskId)
      }
    })
    void cleanUp(taskId, runs.ended(taskId))
  }

  function startQueued(taskIds: TaskId[]): void {
    for (const task of taskIds.map(taskLedger.get)) {
      if (task.status === 'queued' && !runs.isQueuedOrRunning(task.id))
        begin(task.id, { prompt: task.prompt, reason: 'prompt' })
    }
  }

  async function queue(taskId: TaskId, request: RunRequest, signal: AbortSignal): Promise<void> {
    let slot: Slot
    try {
      if (taskLedger.get(taskId).dependsOn.length > 0) request.onWaiting?.()
      if (!(await dependenciesDone(taskId, signal))) return
      slot = await slots.acquire(taskId, request, signal)
    } catch (error) {
      // A task that has not started when Shiplog closes stays queued. Any other cause cancels it.
      if (error instanceof Interruption && error.closing) return
      return taskLedger.cancel(taskId, causeOf(error))
    }
    await slots.hold(taskId, slot, request, async () => {
      if (await hasWorkspace(taskId)) await run(taskId, request, signal)
    })
  }

  async function dependenciesDone(taskId: TaskId, signal: AbortSignal): Promise<boolean> {
    const ids = dependenciesOf(taskLedger, taskLedger.get(taskId)).map(({ id }) => id)
    startQueued(ids)
    await waitUntilOver({ ledger, runs }, ids, { signal })
    const cause = blockedBy(taskLedger, taskLedger.get(taskId))
    if (cause !== null) await taskLedger.transition({ type: 'task.blocked', taskId, cause })
    return cause === null
  }

  /** Makes the worktree of a task that waited for dependencies, from the parent's current state. */
  async function hasWorkspace(taskId: TaskId): Promise<boolean> {
    const task = taskLedger.get(taskId)
    if (task.workspace) return true
    const { projectId, title, parentId: parent, isolation } = task
    try {
      const made = await workspaces.workingDirs.make(taskId, {
        projectId,
        title,
        parent,
        isolation,
      })
      await ledger.record({ type: 'workspace.created', workspaceId: taskId, kind: 'task', ...made })
      return true
    } catch (error) {
      const detail = messageOf(error)
      await taskLedger.cancel(taskId, { kind: 'not-started', step: 'worktree', detail })
      await workspaces.workingDirs.discard(taskId)
      return false
    }
  }

  async function run(taskId: TaskId, request: RunRequest, signal: AbortSignal): Promise<void> {
    const opening = request.prepare
      ? await request.prepare(signal)
      : await deps.ensureWorkingDir(taskLedger.get(taskId))
    const task = taskLedger.get(taskId)
    const runNumber = task.runs.length + 1
    const workingDir = task.workspace?.path ?? task.projectDir
    const begun = { taskId, run: runNumber, process: deps.process }
    // The transcript is durable before the ledger records the start of the run. If recovery finds no transcript,
    // it was lost, and recovery does not create a new one.
    const session = recordedRuns.openSession(task, runNumber)
    await session.catch(() => undefined)
    try {
      if (task.status === 'interrupted' && request.reason === 'resume')
        await taskLedger.transition({ type: 'task.resumed', ...begun })
      else {
        const spawnCommit = await workspaces.head(workingDir)
        const { promptId } = request
        const consumedPrompt = promptId ? { promptId } : {}
        await taskLedger.transition({
          type: 'task.spawned',
          ...begun,
          spawnCommit,
          ...consumedPrompt,
        })
      }
    } catch (error) {
      await session.then(
        () => sessions.close(taskId),
        () => undefined,
      )
      throw error
    }
    const outcome = await recordedRuns.play(taskId, session, {
      run: runNumber,
      request,
      opening,
      workingDir,
      signal,
    })
    await deferred.record(endEvent(taskId, runNumber, outcome))
    deps.limits.ended(taskId)
    silenceMonitor.ended(taskId)
  }

  return {
    begin,
    startQueued,
    isAttached: slots.isAttached,
    endRetryWaits: retryWaits.end,
    cleanUp: (taskId) => cleanUp(taskId),
    flushDeferred: deferred.flush,
    cleanUpsSettled: async () => {
      await deferred.close()
      await cleanUps.settled()
    },
    withoutSlot: (taskId, work) =>
      slots.yieldWhile(
        taskId,
        { state: 'working', text: 'Waiting for its sub-agents', awaits: true },
        work,
      ),
  }
}
