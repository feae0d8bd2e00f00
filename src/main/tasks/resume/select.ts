/** Selects the tasks that a selector matches (S1) and that can be resumed. Pure. */

import { FailureError, refused } from '../../../shared/failure.ts'
import {
  childrenByParent,
  type LedgerState,
} from '../../../shared/projections/ledger/ledger-state.ts'
import { parallelGroupOf } from '../../../shared/projections/transcript/parallel-group.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import { resolveId, shortId, type TaskId } from '../../../shared/records/ids.ts'
import type { ResumeSelector } from '../../../shared/records/resume.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { momentOf } from '../../../shared/text/format-time.ts'

/** Reports whether it has a run in this process, or is about to be replaced by another task. */
export type IsReserved = (taskId: TaskId) => boolean

/**
 * Returns the selected tasks, each followed by those below it, so that the list reads as a tree. Never empty. Throws
 * FailureError: not-found, ambiguous, or refused with the alternative.
 */
export function selectForResume(
  state: LedgerState,
  selector: ResumeSelector,
  isReserved: IsReserved,
): Task[] {
  const resumable = (task: Task) => canBeResumed(task, isReserved)
  const all = [...state.tasks.values()]
  switch (selector.by) {
    case 'task': {
      const task = taskNamed(state, selector.taskId)
      refuseUnlessResumable(state, task, isReserved)
      return [task]
    }
    case 'most-recent':
      return [mostRecent(all.filter(inProject(selector.projectDir)).filter(resumable))]
    case 'group': {
      const members = groupNamed(state, selector, resumable)
      return inTreeOrder(state, nonEmpty(members.filter(resumable)))
    }
    case 'tree': {
      const { rootId } = taskNamed(state, selector.taskId)
      const tree = all.filter((task) => task.rootId === rootId)
      return inTreeOrder(state, nonEmpty(tree.filter(resumable)))
    }
    case 'all':
      return inTreeOrder(
        state,
        nonEmpty(all.filter(inProject(selector.projectDir)).filter(resumable)),
      )
  }
}

/** Reports whether the task is interrupted, or was left queued by an ended process, and its workspace is in use. */
export function canBeResumed(task: Task, isReserved: IsReserved): boolean {
  if (task.trashed || task.archived || task.workspace?.removal) return false
  if (isReserved(task.id)) return false
  return task.status === 'interrupted' || task.status === 'queued'
}

function refuseUnlessResumable(state: LedgerState, task: Task, isReserved: IsReserved): void {
  const { title, status, endedAt, cause } = task
  const why = cause ? formatCause(cause) : 'no cause is known'
  const instead = 'Continue from it as a new task instead.'
  if (isReserved(task.id)) return refused('running', `"${title}" is running, or about to.`)
  switch (status) {
    case 'completed': {
      const when = endedAt === null ? '' : `on ${momentOf(endedAt)}`
      // A completed agent never runs again (T4); for a root the next prompt is a separate run (T7).
      return refused(
        'completed',
        task.parentId === null && !task.archived
          ? `"${title}" completed ${when}: there is nothing to resume. Send it a follow-up, or continue from it as a new task.`
          : `"${title}" completed ${when}, and a completed agent never runs again. ${instead}`,
      )
    }
    case 'failed':
      return refused('not-interrupted', `"${title}" failed (${why}). Retry it instead.`)
    case 'blocked':
      return refused('not-interrupted', `"${title}" is blocked: ${why}.`)
    case 'cancelled':
    case 'abandoned':
      return refused('not-interrupted', `"${title}" was ${status}. ${instead}`)
    case 'spawned':
    case 'resumed':
      return refused('running', `"${title}" is running.`)
  }
  if (task.trashed) refused('removed', `"${title}" is in the trash. Restore it first.`)
  if (task.workspace?.removal && !task.archived)
    refused('removed', `The workspace of "${title}" is being removed.`)
  // A resume restores an archived root, and an archived sub-agent whose root is in use.
  const root = state.tasks.get(task.rootId)
  if (task.archived && task.parentId !== null && root?.archived) {
    refused(
      'removed',
      `The workspace of "${title}" was removed with its root. Restore that first: \`shiplog workspaces restore ${shortId(root.id)}\`.`,
    )
  }
}

/** Returns the task with this id or unique prefix of an id. Throws FailureError. */
function taskNamed(state: LedgerState, text: string): Task {
  const found = resolveId(text, state.tasks.keys())
  if (found.kind === 'ambiguous') {
    const { candidates } = found
    throw new FailureError({ kind: 'ambiguous', what: 'task', id: text, candidates })
  }
  const task = found.kind === 'found' ? state.tasks.get(found.id) : undefined
  if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: text })
  return task
}

function mostRecent(tasks: Task[]): Task {
  const [first, ...others] = nonEmpty(tasks)
  return others.reduce(
    (latest, task) => (stoppedAt(task) > stoppedAt(latest) ? task : latest),
    first as Task,
  )
}

const stoppedAt = (task: Task): string => task.endedAt ?? task.startedAt ?? task.createdAt

/**
 * Returns every member, resumable or not. If two trees have a group of that name, the latest is
 * chosen.
 */
function groupNamed(
  state: LedgerState,
  { group: name, projectDir }: Extract<ResumeSelector, { by: 'group' }>,
  resumable: (task: Task) => boolean,
): Task[] {
  const all = [...state.tasks.values()].filter(inProject(projectDir))
  const named = all.filter((task) => name !== undefined && parallelGroupOf(state, task) === name)
  const candidates = named.some(resumable) ? named.filter(resumable) : named
  const member =
    candidates.length > 0
      ? mostRecent(candidates)
      : name === undefined
        ? mostRecent(all.filter(resumable))
        : memberNamed(state, name)
  const group = parallelGroupOf(state, member)
  if (group !== null) {
    return all.filter(
      (task) => task.rootId === member.rootId && parallelGroupOf(state, task) === group,
    )
  }
  return refused(
    'nothing-to-resume',
    `"${member.title}" worked alone and has no parallel group. Resume it by its id.`,
  )
}

/** A selector that matches no id may be the group's own name. */
function memberNamed(state: LedgerState, text: string): Task {
  if (resolveId(text, state.tasks.keys()).kind === 'not-found')
    throw new FailureError({ kind: 'not-found', what: 'parallel group', id: text })
  return taskNamed(state, text)
}

const inProject =
  (projectDir: string | undefined) =>
  (task: Task): boolean =>
    projectDir === undefined || task.projectDir === projectDir

function nonEmpty(tasks: Task[]): Task[] {
  if (tasks.length === 0)
    refused('nothing-to-resume', 'No agent is interrupted here: there is nothing to resume.')
  return tasks
}

/** Sorts the tasks as `tasks list` shows them, even if it omits others of their trees. */
function inTreeOrder({ tasks: all }: LedgerState, tasks: Task[]): Task[] {
  const children = childrenByParent(all.values())
  const withAllBelow = (task: Task): Task[] => [
    task,
    ...(children.get(task.id) ?? []).flatMap(withAllBelow),
  ]
  const tops = [...all.values()].filter(({ parentId }) => parentId === null || !all.has(parentId))
  const meant = new Set(tasks)
  return tops.flatMap(withAllBelow).filter((task) => meant.has(task))
}
