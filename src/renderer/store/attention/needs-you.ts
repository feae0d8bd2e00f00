/** Collects everything that needs the user in one list (Q4). Pure. */
import type { PendingPermission } from '../../../shared/agents/permissions.ts'
import { reachedLimit } from '../../../shared/projections/ledger/budget-limit.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isBeingRemoved } from '../../../shared/records/projects/workspaces.ts'
import { type Activity, isWrappingUp } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../shared/text/counted.ts'
import { plainMarkdown } from '../../../shared/text/plain-markdown.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { amountText } from '../../../shared/text/usage-text.ts'
import { isResumable } from '../resume/resumable.ts'
import type { Arrival } from '../window/arrival.ts'
import type { Preferences } from '../window/preferences.ts'
import { isUnread } from './seen.ts'

export interface Need {
  /** Stable as long as it is the same need. */
  key: string
  kind:
    | 'permission'
    | 'question'
    | 'budget'
    | 'stuck'
    | 'not-resumed'
    | 'drift'
    | 'failed'
    | 'review'
  taskId: TaskId
  title: string
  /** One line; for a stuck agent its last activity. */
  text: string
  /** Since when, milliseconds since the epoch. */
  since: number
  /** Whether the text is exactly the command that would run. */
  isCode?: true
  /** The place on the task's screen where it is answered. */
  at: Arrival['at']
}

/** Returns the list, the oldest first; needs that block agents come before the others. */
export function needsYou(given: {
  tasks: ReadonlyMap<TaskId, Task>
  activity: ReadonlyMap<TaskId, Activity>
  questions: readonly PendingPermission[]
  seen: Pick<Preferences, 'seen' | 'seenSince'>
}): Need[] {
  const { tasks, activity, questions, seen } = given
  const waiting = questions.map(questionNeed)
  const ended: Need[] = []
  for (const [taskId, doing] of activity) {
    const task = tasks.get(taskId)
    if (!task || doing.state !== 'working' || doing.silentSince === undefined) continue
    waiting.push(needOf(task, 'stuck', doing.silentSince, doing.text))
  }
  /** Roots with a running agent that would continue. */
  const rootsAtWork = new Set<TaskId>()
  for (const { id, rootId, status } of tasks.values()) {
    const doing = activity.get(id)
    // Agents that were asked to report do not wait for the limit.
    if (isRunning(status) && !(doing && isWrappingUp(doing))) rootsAtWork.add(rootId)
  }
  for (const task of tasks.values()) {
    const conflicts = conflictsNeed(tasks, task)
    if (conflicts) waiting.push(conflicts)
  }
  for (const task of tasks.values()) {
    if (task.parentId !== null || task.archived || task.trashed || isBeingRemoved(task)) continue
    const budget = budgetNeed(task, rootsAtWork.has(task.id))
    if (budget) waiting.push(budget)
    const notResumed = notResumedNeed(task)
    if (notResumed) waiting.push(notResumed)
    if (!isUnread(task, seen) || task.sleep) continue
    const since = Date.parse(task.endedAt ?? task.createdAt)
    if (task.status === 'failed')
      ended.push(
        needOf(task, 'failed', since, task.cause ? formatCause(task.cause, { form: 'short' }) : ''),
      )
    else if (task.status === 'completed')
      ended.push(needOf(task, 'review', since, task.reportTitle ?? 'Completed'))
  }
  const bySince = (a: Need, b: Need) => a.since - b.since
  return [...waiting.sort(bySince), ...ended.sort(bySince)]
}

const needOf = (task: Task, kind: Need['kind'], since: number, text: string): Need => ({
  key: `${kind} ${task.id} ${since}`,
  kind,
  taskId: task.id,
  title: task.title,
  text,
  since,
  at: kind === 'budget' ? 'limit' : 'end',
})

const questionNeed = ({ id, kind, taskId, chain, text, askedAt }: PendingPermission): Need => ({
  key: `permission ${id}`,
  kind: kind === 'question' ? 'question' : 'permission',
  taskId,
  title: chain.at(-1)?.title ?? '',
  text: visibleText(
    (kind === 'question' ? plainMarkdown(text).trim() : text).split('\n', 1)[0] ?? '',
  ),
  since: askedAt,
  ...(kind !== 'question' && { isCode: true }),
  at: { question: id },
})

function budgetNeed(task: Task, isAtWork: boolean): Need | null {
  const reached = reachedLimit(task)
  if (!reached || !isAtWork) return null
  const { part, level, used, limit, at } = reached
  const text =
    level === 'unpriced'
      ? 'The limit can’t be checked'
      : `${amountText(part, used)} of ${amountText(part, limit)} used`
  return needOf(task, 'budget', Date.parse(at), text)
}

function conflictsNeed(tasks: ReadonlyMap<TaskId, Task>, task: Task): Need | null {
  const { conflictsFound, rootId } = task
  if (!conflictsFound || !isResumable(tasks, task)) return null
  const root = tasks.get(rootId)
  // The root's need covers the whole tree, and opens the same dialog.
  if (root && notResumedNeed(root)) return null
  const text = `${counted(conflictsFound.files, 'file')} changed since it stopped`
  return needOf(task, 'drift', Date.parse(conflictsFound.at), text)
}

/** The task waited for a quota, and could not be resumed then. */
function notResumedNeed(task: Task): Need | null {
  const { sleepEnded } = task
  if (!sleepEnded || (task.runs.at(-1)?.startedAt ?? '') > sleepEnded.at) return null
  const text =
    sleepEnded.because === 'not-resumed'
      ? 'Files changed while it slept'
      : 'Could not continue automatically'
  return needOf(task, 'not-resumed', Date.parse(sleepEnded.at), text)
}
