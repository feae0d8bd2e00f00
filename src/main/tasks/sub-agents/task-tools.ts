/**
 * The task tools of one running agent: its requests to the service about its own sub-agents. It sees only its
 * descendants (A5). Errors thrown here are for the agent to read.
 */

import type { TaskToolsPort } from '../../../shared/agents/driver/task-tools-port.ts'
import type { ApplyOutcome, AwaitedTask } from '../../../shared/agents/tools.ts'
import { descendantsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { namedTask } from './named-task.ts'

interface TaskToolsDependencies {
  state: LedgerState
  spawn(
    parentId: TaskId,
    ...request: Parameters<TaskToolsPort['spawn']>
  ): Promise<{ taskId: TaskId }>
  adopt(
    parentId: TaskId,
    ...subAgent: Parameters<TaskToolsPort['adopt']>
  ): Promise<{ taskId: TaskId }>
  saveReport(taskId: TaskId, report: Parameters<TaskToolsPort['report']>[0]): Promise<void>
  awaitedTask(taskId: TaskId): Promise<AwaitedTask>
  /**
   * Resolves when each has settled, the time is over or `stopWaiting` is aborted; rejects with the
   * signal's reason.
   */
  waitFor(
    taskIds: TaskId[],
    options: { timeoutMs?: number; signal: AbortSignal; stopWaiting?: AbortSignal | undefined },
  ): Promise<void>
  /** Reports whether the task was resumed and waits for a slot. */
  isAboutToRunAgain(taskId: TaskId): boolean
  /** Runs `work` without a slot: the agent only waits (T5). */
  withoutSlot<T>(taskId: TaskId, work: () => Promise<T>): Promise<T>
  stop(taskId: TaskId, cause: Cause): Promise<void>
  applyPatch(taskId: TaskId): Promise<ApplyOutcome>
}

export function createTaskTools(taskId: TaskId, deps: TaskToolsDependencies): TaskToolsPort {
  const { state } = deps

  function find(text: string): Task {
    const below = descendantsOf(state, taskId).sort((a, b) =>
      a.createdAt.localeCompare(b.createdAt),
    )
    return namedTask(below, text, 'below this agent')
  }

  const children = () => [...state.tasks.values()].filter((task) => task.parentId === taskId)

  return {
    spawn: (request, callId) => deps.spawn(taskId, request, callId),
    adopt: (subAgent) => deps.adopt(taskId, subAgent),
    async await(tasks, options) {
      const wanted = tasks === 'all' ? children() : tasks.map(find)
      const ids = wanted.map((task) => task.id)
      if (wanted.some((task) => !isSettled(task.status) || deps.isAboutToRunAgain(task.id))) {
        await deps.withoutSlot(taskId, () => deps.waitFor(ids, options))
      }
      return Promise.all(ids.map((id) => deps.awaitedTask(id)))
    },
    list: () => Promise.all(children().map((task) => deps.awaitedTask(task.id))),
    async stop(text) {
      const task = find(text)
      await deps.stop(task.id, { kind: 'stopped', by: 'parent' })
      return deps.awaitedTask(task.id)
    },
    async applyPatch(text) {
      const task = find(text)
      if (task.parentId !== taskId) {
        throw new Error(
          `"${task.title}" is not this agent's own sub-agent: its parent applies its patch.`,
        )
      }
      if (!isSettled(task.status))
        throw new Error(`"${task.title}" is still running: await it first.`)
      return { taskId: task.id, title: task.title, outcome: await deps.applyPatch(task.id) }
    },
    report: (report) => deps.saveReport(taskId, report),
  }
}
