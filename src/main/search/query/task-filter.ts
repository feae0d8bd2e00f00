/** Selects the tasks of a query by the filters that the ledger, not the index, can answer. Pure. */
import { FailureError } from '../../../shared/failure.ts'
import {
  descendantsOf,
  type LedgerState,
  sourceOf,
} from '../../../shared/projections/ledger/ledger-state.ts'
import { resolveId, type TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Query } from './query.ts'

/** The tasks in the scope of a caller: those below an agent, all for a user (A5). */
export const searchedBy = (caller: TaskId | undefined, state: LedgerState): Task[] =>
  caller === undefined ? [...state.tasks.values()] : descendantsOf(state, caller)

/**
 * Returns the ids of the tasks that the query's filters and the scope of `caller` select, or null if nothing limits
 * them. Throws FailureError for an id that is unknown or ambiguous.
 */
export function tasksOf(query: Query, state: LedgerState, caller?: TaskId): TaskId[] | null {
  const { projects, sources, agents, tasks, statuses, flags } = query
  const tests: ((task: Task) => boolean)[] = []
  if (projects.length > 0) tests.push(ofProjects(projects, state))
  if (sources.length > 0) tests.push((task) => sources.some((one) => one === sourceOf(state, task)))
  if (agents.length > 0) tests.push(({ agent }) => agents.some((one) => includesText(agent, one)))
  if (tasks.length > 0) tests.push(ofTasks(tasks, state))
  if (statuses.length > 0) tests.push(({ status }) => statuses.includes(status))
  for (const flag of flags) {
    if (flag === 'archived') tests.push(({ archived }) => archived)
    if (flag === 'live') tests.push(({ status }) => isRunning(status))
    if (flag === 'pinned') tests.push(({ pinned }) => pinned)
    if (flag === 'imported') tests.push(({ imported }) => imported)
  }
  if (tests.length === 0 && caller === undefined) return null
  return searchedBy(caller, state)
    .filter((task) => tests.every((test) => test(task)))
    .map(({ id }) => id)
}

const includesText = (text: string, part: string): boolean =>
  text.toLowerCase().includes(part.toLowerCase())

function ofProjects(projects: readonly string[], state: LedgerState): (task: Task) => boolean {
  const isNamed = ({ projectId, projectDir }: Task) => {
    const name = state.projects.get(projectId)?.name ?? ''
    return projects.some(
      (one) =>
        includesText(name, one) || includesText(projectDir, one) || projectId.startsWith(one),
    )
  }
  const known = new Map<string, boolean>()
  return (task) => {
    const answer = known.get(task.projectId) ?? isNamed(task)
    known.set(task.projectId, answer)
    return answer
  }
}

/** Matches the given tasks and their descendants. */
function ofTasks(ids: readonly string[], state: LedgerState): (task: Task) => boolean {
  const wanted = new Set<TaskId>()
  for (const text of ids) {
    const found = resolveId(text, state.tasks.keys())
    if (found.kind === 'not-found')
      throw new FailureError({ kind: 'not-found', what: 'task', id: text })
    if (found.kind === 'ambiguous')
      throw new FailureError({
        kind: 'ambiguous',
        what: 'task',
        id: text,
        candidates: found.candidates,
      })
    wanted.add(found.id)
    for (const { id } of descendantsOf(state, found.id)) wanted.add(id)
  }
  return ({ id }) => wanted.has(id)
}
