/**
 * Resumes interrupted tasks (S): `select.ts` selects them, `resume-plan.ts` finds changes since, `begin-resume.ts`
 * begins each. A resume is a new run of the same task; one that can't begin changes nothing (S5).
 */

import type { PromptImage } from '../../../shared/agents/images.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { messageOf } from '../../../shared/error-message.ts'
import { FailureError } from '../../../shared/failure.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import { hasConflicts, isSameMaker } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type {
  ResumeCandidate,
  ResumeChoice,
  ResumeEnd,
  ResumeOutcome,
  ResumePlanEvent,
  ResumeSelector,
} from '../../../shared/records/resume.ts'
import { agentsAtOnceDefault } from '../../../shared/records/tasks/tree-options.ts'
import { createSemaphore, type Semaphore } from '../../runs/semaphore.ts'
import { checkImages } from '../messages/prompt-images.ts'
import {
  type BeginResumeDependencies,
  createBeginResume,
  type KnownConflicts,
} from './begin-resume.ts'
import type { Restarted } from './restart.ts'
import { createResumePlan } from './resume-plan.ts'

interface ResumeRequest {
  selector: ResumeSelector
  /** Resumes in spite of conflicts. */
  force: boolean
  /** The action for each of the selected tasks; `resume` by default. */
  choices: Partial<Record<TaskId, ResumeChoice>>
  agentsAtOnce?: number | undefined
  /** The permission mode from now on; absent: unchanged. */
  permissions?: PermissionMode | undefined
  /** A prompt for the topmost of them. */
  prompt?: string | undefined
  /** Images of the prompt. */
  images?: readonly PromptImage[]
}

export interface ResumeService {
  /**
   * Resolves with the tasks that would be resumed, and the changes for each since its last run
   * (S2). Begins nothing; conflicts are recorded, so that they are listed until somebody decides.
   * Throws FailureError.
   */
  plan(selector: ResumeSelector): Promise<ResumeCandidate[]>
  /** Like `plan`, as a stream: the tasks first, then the changes for each as they are found. */
  planned(selector: ResumeSelector): AsyncGenerator<ResumePlanEvent>
  /** Resolves with a unified diff of one file of a drift report; empty for a binary file. */
  changedFileDiff(
    taskId: TaskId,
    file: { path: string; blobs: { from: string; to: string } },
  ): Promise<string>
  /**
   * Begins them, as many at once as the limit allows; resolves once each runs or waits for its turn.
   * A task that can't begin does not prevent the others (T6); without `force`, conflicts prevent all.
   */
  resume(request: ResumeRequest): Promise<ResumeOutcome>
  /** Resolves with how each ended once none of them runs or waits for its turn any more. */
  ended(taskIds: TaskId[]): Promise<ResumeEnd[]>
}

interface ResumeDependencies extends BeginResumeDependencies {
  /** Compares two contents of a file, by their ids. */
  diffBlobs: (input: { repoDir: string; from: string; to: string }) => Promise<string>
  restart: (taskId: TaskId, spared: ReadonlySet<TaskId>) => Promise<Restarted>
  abandon: (taskId: TaskId, cause: Cause) => Promise<void>
}

export function createResumeService(deps: ResumeDependencies): ResumeService {
  const { taskLedger, runs } = deps
  const { state } = deps.ledger
  const planner = createResumePlan(deps)
  const starter = createBeginResume({ ...deps, recordConflicts: planner.recordConflicts })

  async function changedFileDiff(
    taskId: TaskId,
    { path, blobs }: { path: string; blobs: { from: string; to: string } },
  ): Promise<string> {
    const { projectDir } = taskLedger.get(taskId)
    const hunks = await deps.diffBlobs({ repoDir: projectDir, ...blobs })
    return hunks === '' ? '' : `--- a/${path}\n+++ b/${path}\n${hunks}`
  }

  async function resume(request: ResumeRequest): Promise<ResumeOutcome> {
    const given = checkImages(request.images ?? [])
    const candidates = await planner.plan(request.selector)
    const outcome: ResumeOutcome = { accepted: [], restarted: [], abandoned: [], refused: [] }
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

    await applyOtherChoices(candidates, choiceOf, outcome)
    const together = limitFor(toResume, request.agentsAtOnce)
    const resumedIds = new Set(toResume.map(({ taskId }) => taskId))
    // With `force` all conflicts count as known; otherwise the shown ones, and those by tasks that
    // are resumed together.
    const knownOf =
      ({ drift }: ResumeCandidate): KnownConflicts =>
      ({ path, changedBy }) =>
        request.force ||
        (changedBy.taskId !== null && resumedIds.has(changedBy.taskId)) ||
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
        await starter.begin(candidate, {
          together,
          said,
          images,
          known: knownOf(candidate),
          permissions,
        })
        outcome.accepted.push({ taskId, drift })
      } catch (error) {
        outcome.refused.push({ taskId, reason: 'failed', message: messageOf(error), drift })
      }
    })
    await Promise.all(beginnings)
    return outcome
  }

  async function applyOtherChoices(
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
          outcome.restarted.push({ taskId: restarted.taskId, replaces: taskId })
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
    const depthOf = ({ taskId }: ResumeCandidate) => taskLedger.get(taskId).depth
    const rank = ({ status }: ResumeCandidate) => (status === 'queued' ? 1 : 0)
    return candidates.toSorted((a, b) => depthOf(b) - depthOf(a) || rank(a) - rank(b))
  }

  const topmostOf = (candidates: ResumeCandidate[]): ResumeCandidate | undefined =>
    candidates.toSorted(
      (a, b) => taskLedger.get(a.taskId).depth - taskLedger.get(b.taskId).depth,
    )[0]

  /** A tree has its own limit; several trees, or a requested limit, need an additional one (T5). */
  function limitFor(
    candidates: ResumeCandidate[],
    asked: number | undefined,
  ): Semaphore | undefined {
    const roots = new Set(candidates.map(({ taskId }) => taskLedger.get(taskId).rootId))
    if (asked === undefined && roots.size < 2) return undefined
    return createSemaphore(asked ?? agentsAtOnceDefault)
  }

  async function ended(taskIds: TaskId[]): Promise<ResumeEnd[]> {
    await Promise.all(taskIds.map((id) => runs.ended(id)))
    return taskIds.map((taskId) => {
      const task = state.tasks.get(taskId)
      if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
      const cause =
        task.status === 'completed' ? null : (starter.whyNeverBegun(taskId) ?? task.cause)
      return { taskId, run: task.runs.at(-1)?.run ?? 0, status: task.status, cause }
    })
  }

  return { plan: planner.plan, planned: planner.planned, changedFileDiff, resume, ended }
}
