/**
 * Taking up what was interrupted: who is meant is decided by the app's own `select.ts`, what is recorded is what the
 * app records, and nothing runs.
 */

import { canBeResumed, selectForResume } from '../../src/main/tasks/resume/select.ts'
import { transitionFor } from '../../src/main/tasks/state/lifecycle.ts'
import type { PermissionMode } from '../../src/shared/agents/permission-modes.ts'
import { FailureError, refused } from '../../src/shared/failure.ts'
import { descendantsOf } from '../../src/shared/projections/ledger/ledger-state.ts'
import { hasConflicts } from '../../src/shared/records/drift.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import type {
  ResumeAgent,
  ResumeCandidate,
  ResumeChoice,
  ResumeEnd,
  ResumeOutcome,
  ResumePlanEvent,
  ResumeSelector,
} from '../../src/shared/records/resume.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { noDrift } from '../fixtures/no-drift.ts'
import type { Memory } from './memory.ts'

export type FakeResume = ReturnType<typeof createFakeResume>

interface ResumeInput {
  selector: ResumeSelector
  force: boolean
  choices: Partial<Record<TaskId, ResumeChoice>>
}

export function createFakeResume({
  memory,
  goOn,
}: {
  memory: Memory
  /** Called once it continues, or is restarted. */
  goOn: (taskId: TaskId) => void
}) {
  const { state, given, record, find, isActive } = memory
  const process = { pid: 4711, startedAt: '1' }

  function agentsOf(selector: ResumeSelector): ResumeAgent[] {
    const tasks = selectForResume(state, selector, isActive)
    const among = new Set(tasks.map(({ id }) => id))
    return tasks.map((task) => {
      const { id: taskId, parentId, title, agent, status } = task
      return { taskId, parentId, title, agent, status, depth: depthAmong(task, among) }
    })
  }

  function depthAmong({ parentId }: Task, among: Set<TaskId>): number {
    const parent = parentId === null ? undefined : state.tasks.get(parentId)
    return parent ? depthAmong(parent, among) + (among.has(parent.id) ? 1 : 0) : 0
  }

  function checked(agent: ResumeAgent): ResumeCandidate {
    const { taskId } = agent
    const drift = given.drift?.[taskId] ?? noDrift(taskId)
    const files = drift.conflicts.length
    if ((find(taskId).conflictsFound?.files ?? 0) !== files)
      record({ type: 'task.conflicts-found', taskId, files })
    return { ...agent, drift, obstacle: null }
  }

  async function plan(selector: ResumeSelector): Promise<ResumeCandidate[]> {
    const agents = agentsOf(selector)
    await given.beforePlan?.()
    return agents.map(checked)
  }

  async function* planned(selector: ResumeSelector): AsyncGenerator<ResumePlanEvent> {
    const agents = agentsOf(selector)
    yield { type: 'agents', agents }
    await given.beforePlan?.()
    for (const agent of agents) yield { type: 'checked', candidate: checked(agent) }
  }

  function resume({ selector, force, choices }: ResumeInput): ResumeOutcome {
    const candidates = agentsOf(selector).map(checked)
    const outcome: ResumeOutcome = { accepted: [], restarted: [], abandoned: [], refused: [] }
    const choiceOf = ({ taskId }: ResumeCandidate) => choices[taskId] ?? 'resume'
    const chosen = candidates.filter((one) => choiceOf(one) === 'resume')
    const conflicting = chosen.filter(({ drift }) => hasConflicts(drift))
    if (conflicting.length > 0 && !force) {
      outcome.refused = conflicting.map(({ taskId, title, drift }) => ({
        taskId,
        reason: 'conflicts',
        message: `Files that "${title}" worked on were changed since by others.`,
        drift,
      }))
      return outcome
    }
    const spared = new Set(
      candidates.filter((one) => choiceOf(one) !== 'abandon').map(({ taskId }) => taskId),
    )
    for (const candidate of candidates) {
      const { taskId, drift } = candidate
      try {
        if (choiceOf(candidate) === 'restart') {
          const restarted = restart(taskId, spared)
          outcome.restarted.push({ taskId: restarted.taskId, replaces: taskId })
          outcome.abandoned.push(...restarted.abandoned)
        } else if (choiceOf(candidate) === 'abandon' && !outcome.abandoned.includes(taskId)) {
          abandon(taskId)
          outcome.abandoned.push(taskId)
        }
      } catch (error) {
        outcome.refused.push({ taskId, reason: 'failed', message: messageOf(error), drift })
      }
    }
    // The deepest first, as in the app: what is in the queue of a root that runs has its turn yet to come.
    const depthOf = ({ taskId }: ResumeCandidate) => find(taskId).depth
    for (const { taskId, drift } of chosen.toSorted((a, b) => depthOf(b) - depthOf(a))) {
      try {
        begin(taskId)
        outcome.accepted.push({ taskId, drift })
      } catch (error) {
        outcome.refused.push({ taskId, reason: 'failed', message: messageOf(error), drift })
      }
    }
    return outcome
  }

  function begin(taskId: TaskId): void {
    const { archived } = find(taskId)
    if (archived) record({ type: 'workspace.restored', workspaceId: taskId, branch: null })
    const task = find(taskId)
    if (!canBeResumed(task, isActive))
      refused('running', `"${task.title}" is already being resumed or restarted.`)
    const run = task.runs.length + 1
    record(
      task.status === 'queued'
        ? { type: 'task.spawned', taskId, run, process, spawnCommit: null }
        : { type: 'task.resumed', taskId, run, process },
    )
    goOn(taskId)
  }

  async function ended(taskIds: TaskId[]): Promise<ResumeEnd[]> {
    while (taskIds.some(isActive)) await memory.change()
    return taskIds.map((id) => {
      const { runs, status, cause } = find(id)
      const run = runs.at(-1)?.run ?? 0
      return { taskId: id, run, status, cause: status === 'completed' ? null : cause }
    })
  }

  function restart(
    text: string,
    spared: ReadonlySet<TaskId> = new Set(),
  ): { taskId: TaskId; abandoned: TaskId[] } {
    const old = find(text)
    if (old.status !== 'interrupted')
      refused(
        'not-interrupted',
        `"${old.title}" is ${old.status}: only an interrupted agent can be restarted.`,
      )
    const below = descendantsOf(state, old.id)
    const busy = below.find(({ id, status }) => isRunning(status) || isActive(id))
    if (busy)
      refused(
        'running',
        `"${busy.title}", a sub-agent of "${old.title}", is running. Stop it first.`,
      )
    const abandoned = below.filter(
      ({ id, status }) => ['interrupted', 'queued', 'blocked'].includes(status) && !spared.has(id),
    )
    const taskId = newTaskId()
    const { parentId, rootId, projectId, title, agent, spec, prompt, model } = old
    const { isolation, callId, dependsOn, options, plan } = old
    record(
      {
        type: 'task.created',
        taskId,
        parentId,
        projectId,
        title,
        agent,
        spec,
        prompt,
        model,
        isolation,
        callId,
        dependsOn,
        rootId: parentId === null ? taskId : rootId,
        resumedFrom: null,
        options,
        plan,
      },
      ...[...abandoned, old].map(({ id, status }): LedgerEvent => {
        const type = status === 'interrupted' ? 'task.abandoned' : 'task.cancelled'
        return { type, taskId: id, cause: { kind: 'restarted' } }
      }),
    )
    goOn(taskId)
    return { taskId, abandoned: abandoned.map(({ id }) => id) }
  }

  function continueFrom(
    text: string,
    asked: {
      prompt?: string | undefined
      at?: number | undefined
      permissions?: PermissionMode | undefined
      /** Null: the same agent. */
      as: Partial<Pick<Task, 'agent' | 'spec' | 'model'>> | null
    },
  ): TaskId {
    const old = find(text)
    const { title, status } = old
    const isFromEnd = asked.at === undefined
    if (isFromEnd && (isRunning(status) || status === 'queued'))
      refused('running', `"${title}" has not ended yet. Wait for it, or stop it first.`)
    if (isFromEnd && status === 'interrupted' && asked.as === null)
      refused('not-interrupted', `"${title}" was interrupted: resume it instead.`)
    if (old.trashed) refused('removed', `"${title}" is in the trash. Restore it first.`)
    const taskId = newTaskId()
    const { projectId, isolation, options } = old
    const { agent, spec, model } = { ...old, ...asked.as }
    if (isFromEnd && status === 'interrupted')
      record({ type: 'task.abandoned', taskId: old.id, cause: { kind: 'abandoned' } })
    record({
      type: 'task.created',
      taskId,
      rootId: taskId,
      parentId: null,
      projectId,
      title,
      agent,
      spec,
      model,
      isolation,
      options: { ...options, ...(asked.permissions && { permissions: asked.permissions }) },
      prompt: asked.prompt?.trim() || old.prompt,
      callId: null,
      resumedFrom: {
        taskId: old.id,
        seq: asked.at ?? memory.sessionOf(old.id).entries.at(-1)?.seq ?? 0,
      },
      dependsOn: [],
      plan: {},
    })
    goOn(taskId)
    return taskId
  }

  function abandon(text: string): void {
    const { id: taskId, title, status } = find(text)
    const cause = { kind: 'abandoned' } as const
    if (isActive(taskId)) refused('running', `"${title}" is running, or about to. Stop it first.`)
    if (status === 'interrupted') record({ type: 'task.abandoned', taskId, cause })
    else if (status === 'queued' || status === 'blocked')
      record({ type: 'task.cancelled', taskId, cause })
    else refused('not-interrupted', `"${title}" is ${status}: there is nothing to abandon.`)
  }

  function retry(text: string): void {
    const { id: taskId, title, status, archived, trashed } = find(text)
    if (status !== 'failed') {
      const instead = status === 'interrupted' ? ' Resume it instead.' : ''
      refused('not-failed', `"${title}" is ${status}: only what failed is run again.${instead}`)
    }
    if (archived || trashed) refused('removed', `The workspace of "${title}" was removed.`)
    record({ type: 'task.requeued', taskId })
    goOn(taskId)
  }

  /** A follow-up is taken where a run of it could begin (T7). */
  function refuseUnlessIdle(task: Task): void {
    const { id, title, parentId, workspace, status } = task
    if (parentId !== null)
      refused(
        'not-running',
        `"${title}" is a sub-agent, and only its parent gives it work. Follow up on its root.`,
      )
    if (workspace?.removal) refused('removed', `The workspace of "${title}" was removed.`)
    if (isActive(id)) refused('running', `"${title}" is running. Wait for it, or stop it first.`)
    if (!transitionFor(task, 'task.spawned'))
      refused('not-running', `"${title}" is ${status}: start a new agent instead.`)
  }

  return {
    plan,
    planned,
    resume,
    ended,
    restart,
    continueFrom,
    abandon,
    retry,
    refuseUnlessIdle,
  }
}

/** The message of a refusal: anything else is a fault of the fake. */
function messageOf(error: unknown): string {
  if (error instanceof FailureError) return error.message
  throw error
}
