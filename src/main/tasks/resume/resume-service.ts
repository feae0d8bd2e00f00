/**
 * Resumes interrupted tasks (S): `select.ts` selects them, `../drift` finds changes since. A resume is a new run of
 * the same task; one that can't begin changes nothing (S5).
 */

import type { PromptImage } from '../../../shared/agents/images.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { FailureError, refused } from '../../../shared/failure.ts'
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import {
  type DriftConflict,
  type DriftReport,
  describeDrift,
  hasConflicts,
  isSameMaker,
} from '../../../shared/records/drift.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import { runIdOf, type TaskId } from '../../../shared/records/ids.ts'
import type {
  ResumeAgent,
  ResumeCandidate,
  ResumeChoice,
  ResumeEnd,
  ResumeOutcome,
  ResumePlanEvent,
  ResumeSelector,
} from '../../../shared/records/resume.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { agentsAtOnceDefault } from '../../../shared/records/tasks/tree-options.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { causeOf, messageOf } from '../../runs/interruption.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import { createSemaphore, type Semaphore } from '../../runs/semaphore.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import type { FindDrift, FindObstacle, RestoreWorkingDir } from '../drift/index.ts'
import { type CheckedImage, checkImages, keepImages } from '../messages/prompt-images.ts'
import type { Runner } from '../running/runner.ts'
import type { TaskRecord } from '../state/task-record.ts'
import type { Restarted } from './restart.ts'
import { canBeResumed, type IsReserved, selectForResume } from './select.ts'

/** Each comparison runs a Git process. */
const plannedAtOnce = 4

interface ResumeRequest {
  selector: ResumeSelector
  /** Resumes in spite of conflicts. */
  force: boolean
  /** The action for each of the selected tasks; `resume` by default. */
  choices: Partial<Record<TaskId, ResumeChoice>>
  agentsAtOnce?: number | undefined
  /** What they have from now on; absent: as before. */
  permissions?: PermissionMode | undefined
  /** A prompt for the topmost of them. */
  prompt?: string | undefined
  /** With the prompt. */
  images?: readonly PromptImage[]
}

export interface ResumeService {
  /**
   * The tasks that would be resumed, and the changes since for each (S2). Begins nothing; conflicts are recorded, so
   * that they are listed until somebody decides. Throws FailureError.
   */
  plan(selector: ResumeSelector): Promise<ResumeCandidate[]>
  /** The same as a stream: the tasks first, then the changes for each as they are found. */
  planned(selector: ResumeSelector): AsyncGenerator<ResumePlanEvent>
  /** A unified diff of one file that a drift report names; empty for a binary one. */
  changedFileDiff(
    taskId: TaskId,
    file: { path: string; blobs: { from: string; to: string } },
  ): Promise<string>
  /**
   * Begins them, as many at once as the limit allows; resolves once each runs or waits for its turn.
   * One that can't be begun does not keep the others from it (T6); conflicts without `force` keep all.
   */
  resume(request: ResumeRequest): Promise<ResumeOutcome>
  /** Resolves with how each ended once none of them runs or waits for its turn any more. */
  ended(taskIds: TaskId[]): Promise<ResumeEnd[]>
}

interface ResumeDependencies {
  ledger: Ledger
  record: TaskRecord
  workspaces: WorkspaceService
  layout: Pick<DataLayout, 'sessionDir'>
  runs: RunRegistry
  /** It runs, waits for its turn, or is just being restarted. */
  isReserved: IsReserved
  runner: Runner
  /** The history of its own session. */
  pastOf: (task: Task) => Promise<SessionState>
  /** The unreadable parts of its lineage. Rejects with FailureError when a part of it is missing. */
  checkLineage: (task: Task) => Promise<{ damage: string[] }>
  driftOf: FindDrift
  obstacleOf: FindObstacle
  /** Makes a missing working directory again (S4); all of it or nothing. */
  restoreWorkingDir: RestoreWorkingDir
  /** Compares two contents of a file, by their ids. */
  diffBlobs: (input: { repoDir: string; from: string; to: string }) => Promise<string>
  restart: (taskId: TaskId, spared: ReadonlySet<TaskId>) => Promise<Restarted>
  abandon: (taskId: TaskId, cause: Cause) => Promise<void>
}

/** Whether the person knows of a conflict already. */
type KnownConflicts = (conflict: DriftConflict) => boolean

interface Beginning {
  together: Semaphore | undefined
  /** The user's prompt to it. */
  said: string
  images: readonly CheckedImage[]
  known: KnownConflicts
  permissions: PermissionMode | undefined
}

export function createResumeService(deps: ResumeDependencies): ResumeService {
  const { ledger, record, runs, runner, isReserved } = deps
  const { state } = ledger
  /** Why the last resume of a task never began. */
  const neverBegun = new Map<TaskId, Cause>()

  async function plan(selector: ResumeSelector): Promise<ResumeCandidate[]> {
    const order: TaskId[] = []
    const checked = new Map<TaskId, ResumeCandidate>()
    for await (const event of planned(selector)) {
      if (event.type === 'agents') order.push(...event.agents.map(({ taskId }) => taskId))
      else checked.set(event.candidate.taskId, event.candidate)
    }
    return order.flatMap((id) => checked.get(id) ?? [])
  }

  async function* planned(selector: ResumeSelector): AsyncGenerator<ResumePlanEvent> {
    const tasks = selectForResume(state, selector, isReserved)
    const among = new Set(tasks.map(({ id }) => id))
    yield { type: 'agents', agents: tasks.map((task) => agentOf(task, among)) }
    const pending = new Map<TaskId, Promise<ResumeCandidate>>()
    const next = async (): Promise<ResumePlanEvent> => {
      const candidate = await Promise.race(pending.values())
      pending.delete(candidate.taskId)
      return { type: 'checked', candidate }
    }
    for (const task of tasks) {
      const check = candidateOf(task, among)
      // A reader may leave before it has ended; one that stays is given the failure by `next`.
      check.catch(() => {})
      pending.set(task.id, check)
      if (pending.size >= plannedAtOnce) yield await next()
    }
    while (pending.size > 0) yield await next()
  }

  async function changedFileDiff(
    taskId: TaskId,
    { path, blobs }: { path: string; blobs: { from: string; to: string } },
  ): Promise<string> {
    const { projectDir } = record.known(taskId)
    const hunks = await deps.diffBlobs({ repoDir: projectDir, ...blobs })
    return hunks === '' ? '' : `--- a/${path}\n+++ b/${path}\n${hunks}`
  }

  function agentOf(task: Task, among: Set<TaskId>): ResumeAgent {
    const { id: taskId, parentId, title, agent, status } = task
    return { taskId, parentId, title, agent, status, depth: depthAmong(task, among) }
  }

  async function candidateOf(task: Task, among: Set<TaskId>): Promise<ResumeCandidate> {
    const past = await deps.pastOf(task)
    const drift = await deps.driftOf(task, past)
    const obstacle = await deps.obstacleOf(task, past)
    await recordConflicts(task.id, drift)
    return { ...agentOf(task, among), drift, obstacle }
  }

  async function recordConflicts(taskId: TaskId, drift: DriftReport): Promise<void> {
    const files = drift.conflicts.length + (drift.conflictsMore ?? 0)
    const { status, conflictsFound } = record.known(taskId)
    if (
      (conflictsFound?.files ?? 0) === files ||
      !(status === 'interrupted' || status === 'queued')
    )
      return
    await ledger.record({ type: 'task.conflicts-found', taskId, files })
  }

  function depthAmong(task: Task, among: Set<TaskId>): number {
    const parent = task.parentId === null ? undefined : state.tasks.get(task.parentId)
    if (!parent) return 0
    return depthAmong(parent, among) + (among.has(parent.id) ? 1 : 0)
  }

  async function resume(request: ResumeRequest): Promise<ResumeOutcome> {
    const given = checkImages(request.images ?? [])
    const candidates = await plan(request.selector)
    const outcome: ResumeOutcome = { accepted: [], fresh: [], abandoned: [], refused: [] }
    const choiceOf = ({ taskId }: ResumeCandidate) => request.choices[taskId] ?? 'resume'
    const toResume = candidates.filter((one) => choiceOf(one) === 'resume')

    const conflicting = toResume.filter(({ drift }) => hasConflicts(drift))
    if (conflicting.length > 0 && !request.force) {
      outcome.refused = conflicting.map(({ taskId, title, drift }) => {
        const message = `Files that "${title}" worked on were changed since by others.`
        return { taskId, reason: 'conflicts', message, drift }
      })
      return outcome
    }

    await chooseOtherwise(candidates, choiceOf, outcome)
    const together = limitFor(toResume, request.agentsAtOnce)
    const goingOn = new Set(toResume.map(({ taskId }) => taskId))
    // The shown changes, those that no longer matter, and the actions of the tasks that are resumed with it.
    const knownOf =
      ({ drift }: ResumeCandidate): KnownConflicts =>
      ({ path, changedBy }) =>
        request.force ||
        (changedBy.taskId !== null && goingOn.has(changedBy.taskId)) ||
        drift.conflicts.some((one) => one.path === path && isSameMaker(one.changedBy, changedBy))
    const topmost = topmostOf(toResume)
    const { permissions } = request
    const beginnings = inOrder(toResume).map(async (candidate) => {
      const { taskId, drift, obstacle } = candidate
      if (obstacle !== null) {
        outcome.refused.push({ taskId, reason: 'obstacle', message: obstacle, drift })
        return
      }
      try {
        const said = candidate === topmost ? (request.prompt?.trim() ?? '') : ''
        const images = candidate === topmost ? given : []
        await begin(candidate, { together, said, images, known: knownOf(candidate), permissions })
        outcome.accepted.push({ taskId, drift })
      } catch (error) {
        outcome.refused.push({ taskId, reason: 'failed', message: messageOf(error), drift })
      }
    })
    await Promise.all(beginnings)
    return outcome
  }

  async function chooseOtherwise(
    candidates: ResumeCandidate[],
    choiceOf: (candidate: ResumeCandidate) => ResumeChoice,
    outcome: ResumeOutcome,
  ): Promise<void> {
    const spared = new Set(
      candidates.filter((one) => choiceOf(one) !== 'abandon').map(({ taskId }) => taskId),
    )
    for (const candidate of candidates) {
      const { taskId, drift } = candidate
      const choice = choiceOf(candidate)
      if (choice === 'resume' || choice === 'leave') continue
      try {
        if (choice === 'restart') {
          const restarted = await deps.restart(taskId, spared)
          outcome.fresh.push({ taskId: restarted.taskId, replaces: taskId })
          outcome.abandoned.push(...restarted.abandoned)
        } else if (!outcome.abandoned.includes(taskId)) {
          await deps.abandon(taskId, { kind: 'abandoned' })
          outcome.abandoned.push(taskId)
        }
      } catch (error) {
        outcome.refused.push({ taskId, reason: 'failed', message: messageOf(error), drift })
      }
    }
  }

  /**
   * The deepest first, so that agents that await them find them running; queued tasks after the others, so that their
   * dependencies are about to run again.
   */
  function inOrder(candidates: ResumeCandidate[]): ResumeCandidate[] {
    const depthOf = ({ taskId }: ResumeCandidate) => record.known(taskId).depth
    const rank = ({ status }: ResumeCandidate) => (status === 'queued' ? 1 : 0)
    return candidates.toSorted((a, b) => depthOf(b) - depthOf(a) || rank(a) - rank(b))
  }

  const topmostOf = (candidates: ResumeCandidate[]): ResumeCandidate | undefined =>
    candidates.toSorted((a, b) => record.known(a.taskId).depth - record.known(b.taskId).depth)[0]

  /** One tree has its own limit; several together, or a requested limit, need one beside it (T5). */
  function limitFor(
    candidates: ResumeCandidate[],
    asked: number | undefined,
  ): Semaphore | undefined {
    const roots = new Set(candidates.map(({ taskId }) => record.known(taskId).rootId))
    if (asked === undefined && roots.size < 2) return undefined
    return createSemaphore(asked ?? agentsAtOnceDefault)
  }

  /** Resolves once it runs, or waits for its turn; rejects with why it can't begin. */
  async function begin(
    { taskId }: ResumeCandidate,
    { together, said, images, known, permissions }: Beginning,
  ): Promise<void> {
    await runner.flushDeferred(taskId)
    if (record.known(taskId).archived) {
      // Before anything is changed: a deleted history can't be continued.
      await deps.checkLineage(record.known(taskId))
      await deps.workspaces.restore(taskId)
    }
    const task = record.known(taskId)
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
          const prepared = wasQueued ? [] : await prepare(taskId, signal, known)
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
    // Called off before its turn came: nothing has changed, and nothing is wrong.
    void runs.ended(taskId).then(() => resolve())
    await promise
  }

  /** The present state counts, not the one at the time of the request. */
  async function prepare(
    taskId: TaskId,
    signal: AbortSignal,
    known: KnownConflicts,
  ): Promise<EntryBody[]> {
    const task = record.known(taskId)
    const past = await deps.pastOf(task)
    const drift = await deps.driftOf(task, past)
    const obstacle = await deps.obstacleOf(task, past)
    if (obstacle !== null) refused('removed', obstacle)
    if (drift.conflicts.some((conflict) => !known(conflict))) {
      await recordConflicts(taskId, drift)
      const what = `Files that "${task.title}" worked on were changed by others while it waited for its turn.`
      refused('conflicts', `${what} Look at them, and resume it again.`)
    }
    // Read once more when the run begins; here so that what can't be read keeps it from beginning.
    const { damage } = await deps.checkLineage(task)
    const { restored } = await deps.restoreWorkingDir(task, past)
    await deps.workspaces.workingDirs.setUp(taskId, signal)
    const runId = runIdOf(taskId, task.runs.length + 1)
    return [{ type: 'resume', runId, drift: [...describeDrift(drift), ...damage, ...restored] }]
  }

  async function ended(taskIds: TaskId[]): Promise<ResumeEnd[]> {
    await Promise.all(taskIds.map((id) => runs.ended(id)))
    return taskIds.map((taskId) => {
      const task = state.tasks.get(taskId)
      if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
      const cause = task.status === 'completed' ? null : (neverBegun.get(taskId) ?? task.cause)
      return { taskId, run: task.runs.at(-1)?.run ?? 0, status: task.status, cause }
    })
  }

  return { plan, planned, changedFileDiff, resume, ended }
}
