/**
 * TaskService: starts agents, accepts follow-ups, stops agents, and returns their reports. `lifecycle.ts` defines the
 * allowed transitions, `runner.ts` executes a run.
 */

import type { AgentSpec } from '../../shared/agents/agent-specs.ts'
import type { AgentDrivers } from '../../shared/agents/driver/agent-driver.ts'
import type { DiscardUnfinished, RunTool } from '../../shared/agents/driver/tool-context.ts'
import type { PermissionsOfRuns } from '../../shared/agents/permissions.ts'
import type { Continuation } from '../../shared/contract/continuation.ts'
import type { LimitSettings } from '../../shared/contract/limits.ts'
import type { Cause, ClosedHow } from '../../shared/records/causes.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import { runIdOf, type TaskId } from '../../shared/records/ids.ts'
import type { ProcessIdentity } from '../../shared/records/tasks/runs.ts'
import type { Task, TaskTree } from '../../shared/records/tasks/tasks.ts'
import type { Git } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Custody } from '../processes/custody.ts'
import { Interruption } from '../runs/interruption.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TurnStore } from '../turn-store/turn-store.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { type ActivityBoard, createActivityBoard } from './activity/activity.ts'
import type { FindDrift, FindObstacle, NeedsRestore, RestoreWorkingDir } from './drift/index.ts'
import { type Compact, createCompact } from './limits/compact.ts'
import { createQuotaSleep, type QuotaSleep, scheduleByTimer } from './limits/quota-sleep.ts'
import { createTreeLimits, type TreeLimits } from './limits/tree-limits.ts'
import { createLinkPullRequest, type LinkPullRequest } from './link-pull-request.ts'
import { listTasks, type TaskQuery } from './list.ts'
import { createFollowUps, type FollowUps } from './messages/follow-ups.ts'
import { createReviewComments, type ReviewComments } from './messages/review-comments.ts'
import { createWrapUp, type WrapUp } from './messages/wrap-up.ts'
import { createReports, type Reports } from './reports.ts'
import { type ContinueFrom, createContinueFrom } from './resume/continue-from.ts'
import { checkLineage, lineageOf, pastOf } from './resume/lineage.ts'
import {
  createFindRecordedPlace,
  type FindRecordedPlace,
  type RecordedPlaceDependencies,
} from './resume/recorded-place.ts'
import { createRestart, type Restart } from './resume/restart.ts'
import { resumeAgents } from './resume/resume-agents.ts'
import { createResumeService, type ResumeService } from './resume/resume-service.ts'
import { createRunner } from './running/runner.ts'
import { createStop, type StopTask } from './running/stop.ts'
import { createTryNow, type TryNow } from './running/try-now.ts'
import { createAgentSpecs } from './start/agent-specs.ts'
import { createSetNextRun, type SetNextRun } from './start/next-run.ts'
import { createRoots } from './start/roots.ts'
import { createStartTask, type StartTask } from './start/start-task.ts'
import { createAbandonAndRetry } from './state/abandon-and-retry.ts'
import { releasedBy } from './state/dependencies.ts'
import { createRename, type RenameTask } from './state/rename.ts'
import { createTaskLedger } from './state/task-ledger.ts'
import { isAboutToRunAgain, waitUntilOver } from './state/waiting.ts'
import { createSubAgents } from './sub-agents/sub-agents.ts'
import { createTaskTools } from './sub-agents/task-tools.ts'

export interface TaskService {
  readonly activity: ActivityBoard
  readonly limits: Pick<TreeLimits, 'usage' | 'setBudget'>
  readonly sleeping: Pick<QuotaSleep, 'start' | 'wakeNow' | 'cancel'>
  /** Starts a root agent; resolves once its task is durable and its worktree made. Throws FailureError. */
  start(request: StartTask): Promise<TaskId>
  readonly followUps: FollowUps
  readonly reviewComments: ReviewComments
  readonly wrapUp: WrapUp
  readonly compact: Compact
  readonly tryNow: TryNow
  /** Interrupts it and everything below it; resolves with what was stopped once that is recorded. */
  readonly stop: StopTask
  list(query: TaskQuery): TaskTree[]
  readonly report: Reports['report']
  /** Resolves when every task has settled, or after `timeoutMs`. Rejects with the signal's reason. */
  waitFor(taskIds: TaskId[], options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>
  readonly resuming: ResumeService
  readonly restarting: Pick<Restart, 'restart'>
  readonly continueFrom: ContinueFrom
  /** Finds where an imported session can be continued, from the entry `at` or from its end. Throws FailureError. */
  continuation(taskId: TaskId, given: Parameters<FindRecordedPlace>[1]): Promise<Continuation>
  /** Abandons an interrupted task, or one that has not begun. Its record stays. Throws FailureError. */
  abandon(taskId: TaskId, cause: Cause): Promise<void>
  readonly rename: RenameTask
  readonly setNextRun: SetNextRun
  readonly linkPullRequest: LinkPullRequest
  /** Runs a failed task again, as a new run of it. Throws FailureError. */
  retry(taskId: TaskId): Promise<void>
  /** The tasks that run or wait for their turn in this process. */
  running(): Task[]
  /**
   * Cleans up after sub-agents that completed and were not cleaned up before the last process ended. After an abort
   * no further one is cleaned up.
   */
  cleanUpFinished(signal: AbortSignal): Promise<void>
  /** Interrupts everything, with the cause; tasks that have not begun stay queued. Waits for clean-ups. */
  close(how: ClosedHow): Promise<void>
}

interface TaskServiceDependencies {
  ledger: Ledger
  git: Git
  turnStore: Pick<TurnStore, 'open'>
  sessions: Sessions
  workspaces: WorkspaceService
  layout: DataLayout
  runs: RunRegistry
  drivers: AgentDrivers
  runTool: RunTool
  discardUnfinished: DiscardUnfinished
  permissions: PermissionsOfRuns
  custody: Custody
  process: ProcessIdentity
  secrets: LearningMasker
  drift: {
    find: FindDrift
    obstacle: FindObstacle
    restore: RestoreWorkingDir
    needsRestore: NeedsRestore
  }
  clock: () => number
  editedFiles: RecordedPlaceDependencies['editedFiles']
  agentsAtOnce?: number | undefined
  /** Reports whether a user can be asked when a budget is used up. If not, the tree ends. */
  canAskForBudget: () => boolean
  /** Reports whether the usage of such an agent has a known price, or is free. */
  hasPrice: (spec: AgentSpec) => Promise<boolean>
  /** The default limits of new trees. */
  defaultLimits: () => LimitSettings
  /** Called with one sentence for the user. */
  onNotice: (text: string) => void
  /** Receives errors for which no caller waits. */
  onProblem: (text: string, error: unknown) => void
}

export function createTaskService(deps: TaskServiceDependencies): TaskService {
  const { ledger, workspaces, layout, runs } = deps
  const { state } = ledger
  const taskLedger = createTaskLedger(ledger)
  const agentSpecs = createAgentSpecs(deps.drivers)
  const activity = createActivityBoard()
  const transcripts = { state, records: workspaces.records }
  const limits = createTreeLimits({
    ledger,
    taskLedger,
    clock: deps.clock,
    canAsk: deps.canAskForBudget,
    messages: {
      of: (taskId) => followUps.messagesFor(taskId),
      deliver: (taskId, promptId, record) => followUps.deliver(taskId, promptId, record),
    },
    onNotice: deps.onNotice,
    onAnswered: (taskId) => sleeping.answered(taskId),
  })
  const runner = createRunner({
    ...deps,
    limits,
    taskLedger,
    agentSpecs,
    activity,
    toolsFor,
    ensureWorkingDir,
    lineageOf: (task) => lineageOf(transcripts, task),
  })
  const isReserved = (taskId: TaskId) =>
    runs.isQueuedOrRunning(taskId) || restarting.isBeingReplaced(taskId)
  const followUps = createFollowUps({ ledger, taskLedger, layout, isReserved, runs, runner })
  const roots = createRoots({ ledger, workspaces, layout, agentSpecs })
  const subAgents = createSubAgents({
    ...deps,
    taskLedger,
    agentSpecs,
    begin: (taskId, prompt, attached) =>
      runner.begin(taskId, { prompt, reason: 'prompt', ...(attached && { attached }) }),
    mayStillSpawn: runs.mayStillSpawn,
  })
  const stop = createStop({
    state,
    taskLedger,
    runs,
    runner,
    stoppedByPerson: (rootId) => sleeping.stopped(rootId),
  })
  const restarting = createRestart({
    state,
    taskLedger,
    workspaces,
    agentSpecs,
    roots,
    subAgents,
    begin: runner.begin,
    isQueuedOrRunning: runs.isQueuedOrRunning,
    cleanUp: (taskId) => void runner.cleanUp(taskId),
  })
  const ending = createAbandonAndRetry({
    taskLedger,
    runs,
    runner,
    isBeingReplaced: restarting.isBeingReplaced,
    ensureWorkingDir,
  })
  const findRecordedPlace = createFindRecordedPlace(deps)
  const continueFrom = createContinueFrom({
    ...deps,
    taskLedger,
    agentSpecs,
    roots,
    replace: restarting.replace,
    begin: runner.begin,
    isQueuedOrRunning: runs.isQueuedOrRunning,
    checkLineage: (task) => checkLineage(transcripts, task),
    findRecordedPlace,
  })
  const resuming = createResumeService({
    ledger,
    taskLedger,
    workspaces,
    layout,
    runs,
    isReserved,
    runner,
    diffBlobs: deps.git.diffBlobs,
    pastOf: (task) => pastOf(workspaces.records, task),
    checkLineage: (task) => checkLineage(transcripts, task),
    driftOf: deps.drift.find,
    obstacleOf: deps.drift.obstacle,
    restoreWorkingDir: deps.drift.restore,
    ensureWorkingDir,
    restart: restarting.restart,
    abandon: ending.abandon,
  })
  const sleeping = createQuotaSleep({
    ledger,
    clock: deps.clock,
    random: Math.random,
    schedule: scheduleByTimer(deps.clock),
    resume: (rootId, taskIds) => resumeAgents(resuming, rootId, taskIds),
    onProblem: deps.onProblem,
  })
  const reports = createReports({ taskLedger, archive: workspaces.records })
  const start = createStartTask({ ...deps, agentSpecs, roots, runner })
  const stopReleasing = ledger.subscribe((records) => {
    for (const { event } of records) if (event.type === 'task.completed') release(event.taskId)
  })

  /**
   * Restores a missing working directory, which is all that a run other than a resume requires
   * (S4).
   */
  async function ensureWorkingDir(task: Task): Promise<EntryBody[]> {
    if (!task.workspace || !(await deps.drift.needsRestore(task))) return []
    const { restored } = await deps.drift.restore(task, await pastOf(workspaces.records, task))
    if (restored.length === 0) return []
    return [{ type: 'resume', runId: runIdOf(task.id, task.runs.length + 1), drift: restored }]
  }

  /** Starts the tasks that the completed one had blocked (T6). */
  function release(completed: TaskId): void {
    for (const { id, title, prompt } of releasedBy(taskLedger, completed)) {
      void taskLedger
        .transition({ type: 'task.requeued', taskId: id })
        .then(() => runner.begin(id, { prompt, reason: 'prompt' }))
        .catch((error) => deps.onProblem(`"${title}" could not be resumed`, error))
    }
  }

  function toolsFor(taskId: TaskId) {
    return createTaskTools(taskId, {
      state,
      awaitedTask: reports.awaitedTask,
      spawn: subAgents.spawn,
      adopt: subAgents.adopt,
      saveReport: subAgents.report,
      waitFor: (ids, options) => {
        runner.startQueued(ids)
        return waitUntilOver({ ledger, runs }, ids, options)
      },
      withoutSlot: runner.withoutSlot,
      isAboutToRunAgain: (id) => isAboutToRunAgain({ ledger, runs }, id),
      stop: async (id, cause) => void (await stop(id, cause)),
      applyPatch: (id) => workspaces.apply(id),
    })
  }

  return {
    activity,
    limits,
    sleeping,
    start,
    followUps,
    reviewComments: createReviewComments({
      ledger,
      taskLedger,
      followUps,
      lastSeq: async (taskId) => {
        const { entries } = await workspaces.records.transcriptPage(taskId, { last: 1 })
        return entries.at(-1)?.seq ?? 0
      },
    }),
    compact: createCompact({ taskLedger, runs, limits }),
    tryNow: createTryNow({ taskLedger, state, runner }),
    wrapUp: createWrapUp({
      state,
      taskLedger,
      runs,
      limits,
      activity,
      isAttached: runner.isAttached,
    }),
    stop,
    list: (query) => listTasks(state, query, limits.usage),
    report: reports.report,
    waitFor: (ids, options) => waitUntilOver({ ledger, runs }, ids, options),
    resuming,
    restarting,
    continueFrom,
    continuation: (taskId, given) => findRecordedPlace(taskLedger.get(taskId), given),
    abandon: ending.abandon,
    rename: createRename({ ledger, taskLedger }),
    setNextRun: createSetNextRun({ ...deps, taskLedger, agentSpecs }),
    linkPullRequest: createLinkPullRequest({ ...deps, taskLedger }),
    retry: ending.retry,
    running: () => runs.ids().map(taskLedger.get),
    cleanUpFinished: async (signal) => {
      // Deepest first: a parent is a leaf once its children are deleted.
      const finished = [...state.tasks.values()].sort((a, b) => b.depth - a.depth)
      for (const task of finished)
        if (!task.archived && !signal.aborted) await runner.cleanUp(task.id)
    },
    async close(how) {
      stopReleasing()
      sleeping.close()
      await runs.stopAll(new Interruption({ kind: 'closed', how }))
      await runner.cleanUpsSettled()
      await workspaces.settled()
    },
  }
}
