/**
 * Runs queued tasks: waits for dependencies and a slot, makes the working directory, executes the run, records its
 * end in the ledger, and cleans up.
 */

import { join } from 'node:path'
import type { ImageRef } from '../../shared/agents/agent-records.ts'
import type { OpenAgent } from '../../shared/agents/driver/agent-session.ts'
import type { TaskToolsPort } from '../../shared/agents/driver/task-tools-port.ts'
import type { DiscardUnfinished, RunTool } from '../../shared/agents/driver/tool-context.ts'
import type { PermissionsOfRuns } from '../../shared/agents/permissions.ts'
import { formatCause } from '../../shared/records/causes.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import { type PromptId, runIdOf, type TaskId } from '../../shared/records/ids.ts'
import type { Activity } from '../../shared/records/tasks/activity.ts'
import type { ProcessIdentity } from '../../shared/records/tasks/runs.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { TranscriptCounts } from '../../shared/records/tasks/transcript-status.ts'
import { unknownUsage } from '../../shared/records/usage.ts'
import type { Git } from '../git/index.ts'
import { exists } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Custody } from '../processes/custody.ts'
import { createRunSnapshots } from '../runs/changes/snapshots.ts'
import { causeOf, Interruption, messageOf } from '../runs/interruption.ts'
import type { PastSession } from '../runs/past.ts'
import { executeRun, type RunOutcome } from '../runs/run.ts'
import type { RunOptions } from '../runs/run-options.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import { acquireBoth, createSemaphore, type Semaphore, type Slot } from '../runs/semaphore.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { Session } from '../sessions/session.ts'
import { chatFile, type DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TurnStore } from '../turn-store/turn-store.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { ActivityBoard } from './activity/activity.ts'
import { createSilence } from './activity/silence.ts'
import { createShowWait } from './activity/waits.ts'
import type { TreeLimits } from './limits/tree-limits.ts'
import { closeUnfinished } from './recovery/recovery.ts'
import type { AgentSpecs } from './start/agent-specs.ts'
import { createDeferredEvents } from './state/deferred-events.ts'
import { blockedBy, dependenciesOf } from './state/dependencies.ts'
import { endEvent } from './state/run-end.ts'
import type { TaskRecord } from './state/task-record.ts'
import { waitUntilOver } from './state/waiting.ts'

/** Of a run that its parent's process does. */
const noSlot: Slot = { yieldWhile: (work) => work(), release: () => undefined }

/** For a run whose transcript could not be created. */
const noTranscript: TranscriptCounts = { entries: 0, messages: 0, bytes: 0 }

export interface RunRequest {
  /** Empty: the agent continues with the earlier prompts. */
  prompt: string
  /** With the prompt, in its session's `blobs/`. */
  images?: readonly ImageRef[] | undefined
  reason: RunOptions['reason']
  /** It runs already, in the process of its parent: it needs no slot, and its agent is opened by this. */
  attached?: OpenAgent
  /** The pending follow-up in the ledger that this run answers. */
  promptId?: PromptId | undefined
  /**
   * Called when the task has its slot, before the start of the run is recorded. If it rejects, the run does not
   * start (S5). Resolves with entries that are written with the start of the run (S7).
   */
  prepare?: (signal: AbortSignal) => Promise<EntryBody[]>
  /** Called if the run has to wait for dependencies or a slot. */
  onWaiting?: () => void
  /** An additional limit, shared by the tasks that were resumed together. */
  together?: Semaphore | undefined
}

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
  cleanUpsOver(): Promise<void>
  /** It runs in the process of its parent. */
  isAttached(taskId: TaskId): boolean
  /** Releases the agent's slot while `work` waits for other agents (T5). */
  withoutSlot<T>(taskId: TaskId, work: () => Promise<T>): Promise<T>
}

interface RunnerDependencies {
  ledger: Ledger
  git: Git
  turnStore: Pick<TurnStore, 'open'>
  record: TaskRecord
  sessions: Sessions
  workspaces: WorkspaceService
  layout: DataLayout
  runs: RunRegistry
  agentSpecs: AgentSpecs
  activity: ActivityBoard
  runTool: RunTool
  discardUnfinished: DiscardUnfinished
  custody: Custody
  toolsFor: (taskId: TaskId) => TaskToolsPort
  /** Restores the working directory if it is gone (S4). Resolves with entries that describe what was restored. */
  ensureWorkingDir: (task: Task) => Promise<EntryBody[]>
  /** The sessions of the tasks that this one continues, oldest first (S3). */
  lineageOf: (task: Task) => Promise<PastSession[]>
  permissions: PermissionsOfRuns
  limits: Pick<TreeLimits, 'forRun' | 'ended'>
  process: ProcessIdentity
  secrets: LearningMasker
  clock: () => number
  onProblem: (text: string, error: unknown) => void
}

export function createRunner(deps: RunnerDependencies): Runner {
  const { ledger, record, sessions, workspaces, layout, runs, activity } = deps
  const slotsByRoot = new Map<TaskId, Semaphore>()
  const heldSlots = new Map<TaskId, Slot>()
  const attached = new Set<TaskId>()
  const cleanUps = new Set<Promise<void>>()
  const silence = createSilence({ activity, clock: deps.clock })
  const showWait = createShowWait(activity, silence.sign)
  const deferred = createDeferredEvents({
    move: record.move,
    onRecorded: (taskId) => void cleanUp(taskId),
    onDeferred: ({ taskId }, error) =>
      deps.onProblem(
        `How "${record.known(taskId).title}" ended could not be recorded, and will be as soon as the disk allows: ${messageOf(error)}`,
        error,
      ),
  })

  function begin(taskId: TaskId, request: RunRequest): void {
    runs.begin(taskId, async (signal) => {
      try {
        activity.set(taskId, { state: 'waiting' })
        await queue(taskId, request, signal)
      } catch (error) {
        const { title, status, parentId } = record.known(taskId)
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
    for (const task of taskIds.map(record.known)) {
      if (task.status === 'queued' && !runs.isQueuedOrRunning(task.id))
        begin(task.id, { prompt: task.prompt, reason: 'prompt' })
    }
  }

  async function queue(taskId: TaskId, request: RunRequest, signal: AbortSignal): Promise<void> {
    let slot: Slot
    try {
      if (record.known(taskId).dependsOn.length > 0) request.onWaiting?.()
      if (!(await dependenciesDone(taskId, signal))) return
      slot = request.attached ? noSlot : await acquireSlots(taskId, request, signal)
    } catch (error) {
      // A task that has not started when Shiplog closes stays queued. Any other cause cancels it.
      if (error instanceof Interruption && error.closing) return
      return record.cancel(taskId, causeOf(error))
    }
    heldSlots.set(taskId, slot)
    if (request.attached) attached.add(taskId)
    try {
      if (await hasWorkspace(taskId)) await run(taskId, request, signal)
    } finally {
      heldSlots.delete(taskId)
      attached.delete(taskId)
      slot.release()
    }
  }

  async function dependenciesDone(taskId: TaskId, signal: AbortSignal): Promise<boolean> {
    const ids = dependenciesOf(record, record.known(taskId)).map(({ id }) => id)
    startQueued(ids)
    await waitUntilOver({ ledger, runs }, ids, { signal })
    const cause = blockedBy(record, record.known(taskId))
    if (cause !== null) await record.move({ type: 'task.blocked', taskId, cause })
    return cause === null
  }

  /** Makes the worktree of a task that waited for dependencies, from the parent's current state. */
  async function hasWorkspace(taskId: TaskId): Promise<boolean> {
    const task = record.known(taskId)
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
      await record.cancel(taskId, { kind: 'not-started', step: 'worktree', detail })
      await workspaces.workingDirs.discard(taskId, { projectId, title })
      return false
    }
  }

  async function run(taskId: TaskId, request: RunRequest, signal: AbortSignal): Promise<void> {
    const opening = request.prepare
      ? await request.prepare(signal)
      : await deps.ensureWorkingDir(record.known(taskId))
    const task = record.known(taskId)
    const runNumber = task.runs.length + 1
    const workingDir = task.workspace?.path ?? task.projectDir
    const begun = { taskId, run: runNumber, process: deps.process }
    // The transcript is durable before the ledger records the start of the run. If recovery finds no transcript,
    // it was lost, and recovery does not create a new one.
    const session = openSession(task, runNumber)
    await session.catch(() => undefined)
    try {
      if (task.status === 'interrupted' && request.reason === 'resume')
        await record.move({ type: 'task.resumed', ...begun })
      else {
        const spawnCommit = await workspaces.head(workingDir)
        const { promptId } = request
        const takesUp = promptId ? { promptId } : {}
        await record.move({ type: 'task.spawned', ...begun, spawnCommit, ...takesUp })
      }
    } catch (error) {
      await session.then(
        () => sessions.close(taskId),
        () => undefined,
      )
      throw error
    }
    const outcome = await playRecorded(
      session,
      runNumber,
      request,
      opening,
      signal,
      workingDir,
      taskId,
    )
    await deferred.record(endEvent(taskId, runNumber, outcome))
    deps.limits.ended(taskId)
    silence.ended(taskId)
  }

  /** A later run appends to the transcript of the earlier ones. If that is gone, this rejects. */
  async function openSession(task: Task, run: number): Promise<Session> {
    const { id, transcriptExpired, transcriptCounts } = task
    const neverBegun = transcriptCounts?.bytes === 0
    const mustExist = run > 1 && transcriptExpired === null && !neverBegun
    return sessions.open(id, layout.sessionDir(id), { mustExist })
  }

  /** A run whose transcript can't be written ends as interrupted, whatever its agent reports (J7). */
  async function playRecorded(
    opened: Promise<Session>,
    run: number,
    { prompt, images, reason, attached }: RunRequest,
    opening: EntryBody[],
    signal: AbortSignal,
    workingDir: string,
    taskId: TaskId,
  ): Promise<RunOutcome & { transcript?: TranscriptCounts | null }> {
    const task = record.known(taskId)
    try {
      const session = await opened
      try {
        await closeUnfinished(session, task, run - 1, deps)
        const { env, withheld } = await workspaces.environments.of(taskId, workingDir)
        const { inForce, sandbox } = await workspaces.sandboxes.of(taskId, workingDir, env)
        const outcome = await executeRun({
          task,
          run,
          reason,
          prompt: { text: prompt, images: images ?? [] },
          lineage: await deps.lineageOf(task),
          opening,
          session,
          openAgent: attached ?? (await openerOf(task)),
          permissions: await deps.permissions.forRun(task, {
            workingDir,
            sandbox: inForce,
            whileAsked: (work) => lend(taskId, { state: 'asking' }, work),
          }),
          runTool: deps.runTool,
          endProcesses: () => deps.custody.endAll(taskId),
          taskTools: deps.toolsFor(taskId),
          readsRecord: record.known(task.rootId).options.readsRecord ?? false,
          workingDir,
          environment: env,
          withheld,
          sandboxInForce: inForce,
          ...(sandbox && { sandbox }),
          secrets: deps.secrets,
          signal,
          clock: deps.clock,
          gitBranch: (dir = workingDir) => workspaces.currentBranch(dir),
          setUpWorktree: () =>
            workspaces.workingDirs
              .setUp(taskId, signal, () =>
                activity.set(taskId, { state: 'working', text: 'Setting the worktree up' }),
              )
              .finally(() => activity.set(taskId, { state: 'working', text: 'Starting' })),
          snapshots: (lastTree, onChanged) =>
            createRunSnapshots({
              ...deps,
              turns: deps.turnStore.open(task.projectId),
              onChanged,
              session,
              task,
              runId: runIdOf(taskId, run),
              lastTree,
              workingDir,
            }),
          onActivity: (text) => activity.set(taskId, { state: 'working', text }),
          onSign: () => silence.sign(taskId),
          limits: deps.limits.forRun(taskId, run, (work) =>
            lend(taskId, { state: 'paused' }, work),
          ),
        })
        // A failure to count the entries does not change the outcome of the run.
        return { ...outcome, transcript: await session.counts().catch(() => null) }
      } finally {
        await sessions.close(taskId)
      }
    } catch (error) {
      const interrupted = {
        status: 'interrupted',
        cause: causeOf(error),
        usage: unknownUsage,
      } as const
      // The transcript was never created, so its absence is not a loss.
      const isOpened = await opened.then(
        () => true,
        () => false,
      )
      const neverBegun = run === 1 && !isOpened && !(await hasTranscript(taskId))
      return neverBegun ? { ...interrupted, transcript: noTranscript } : interrupted
    }
  }

  /** True if it can't be determined: a transcript that may exist must be reported if it is missing later. */
  const hasTranscript = (taskId: TaskId): Promise<boolean> =>
    exists(join(layout.sessionDir(taskId), chatFile)).catch(() => true)

  /** Throws an Interruption with its cause when such an agent can't begin now (G7). */
  async function openerOf({ spec, rootId }: Task): Promise<OpenAgent> {
    const home = layout.sessionDir(rootId)
    const availability = await deps.agentSpecs.check(home, spec)
    if (availability.state === 'unavailable') throw new Interruption(availability.cause)
    return (place) => deps.agentSpecs.open(home, spec, place)
  }

  async function cleanUp(taskId: TaskId, ended: Promise<void> = Promise.resolve()): Promise<void> {
    const cleaned = ended.then(() => removeWhatIsOver(taskId))
    cleanUps.add(cleaned)
    await cleaned.finally(() => cleanUps.delete(cleaned))
  }

  /**
   * A finished sub-agent is cleaned up once it is a leaf; then its parent may be a leaf too (R1). A failed or
   * interrupted one keeps its workspace, because it can be retried or resumed.
   */
  async function removeWhatIsOver(taskId: TaskId): Promise<void> {
    const task = record.known(taskId)
    const { parentId } = task
    if (parentId === null || task.options.keep || runs.isQueuedOrRunning(taskId)) return
    if (task.workspace && !task.archived) {
      const over = ['completed', 'cancelled', 'abandoned'].includes(task.status)
      if (!over || record.children(taskId).some(holdsItsParent)) return
      try {
        await workspaces.remove(taskId)
      } catch (error) {
        const text = `The workspace of "${task.title}" could not be cleaned up; the next start tries again`
        return deps.onProblem(`${text}: ${messageOf(error)}`, error)
      }
    }
    await removeWhatIsOver(parentId)
  }

  /** It has a worktree made from its parent's state, or will get one: it may still be waiting for dependencies. */
  function holdsItsParent(child: Task): boolean {
    return !child.archived && (child.workspace !== null || runs.isQueuedOrRunning(child.id))
  }

  async function acquireSlots(
    taskId: TaskId,
    { together, onWaiting }: RunRequest,
    signal: AbortSignal,
  ): Promise<Slot> {
    const ofTree = slotsOf(taskId)
    if (!ofTree.hasFree() || together?.hasFree() === false) onWaiting?.()
    return together ? acquireBoth(together, ofTree, signal) : ofTree.acquire(signal)
  }

  /** Others may have its slot while `work` is awaited (T5). */
  function lend<T>(taskId: TaskId, doing: Activity, work: () => Promise<T>): Promise<T> {
    const slot = heldSlots.get(taskId)
    const isRunning = () => slot !== undefined && heldSlots.get(taskId) === slot
    return showWait({ taskId, doing, isRunning }, (over) =>
      slot ? slot.yieldWhile(() => work().finally(over)) : work(),
    )
  }

  function slotsOf(taskId: TaskId): Semaphore {
    const { rootId, options } = record.known(taskId)
    const slots = slotsByRoot.get(rootId) ?? createSemaphore(options.agentsAtOnce)
    slotsByRoot.set(rootId, slots)
    return slots
  }

  return {
    begin,
    startQueued,
    isAttached: (taskId) => attached.has(taskId),
    cleanUp: (taskId) => cleanUp(taskId),
    flushDeferred: deferred.flush,
    cleanUpsOver: async () => {
      await deferred.close()
      while (cleanUps.size > 0) await Promise.allSettled(cleanUps)
    },
    withoutSlot: (taskId, work) =>
      lend(taskId, { state: 'working', text: 'Waiting for its sub-agents', awaits: true }, work),
  }
}
