/** Restarts a task instead of resuming it: runs the same assignment again, from its beginning. */

import type { PreparedAgent } from '../../../shared/agents/driver/agent-driver.ts'
import { refused } from '../../../shared/failure.ts'
import { descendantsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import type { CheckedImage } from '../messages/prompt-images.ts'
import type { RunRequest } from '../running/run-request.ts'
import type { AgentSpecs } from '../start/agent-specs.ts'
import type { Roots } from '../start/roots.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { SubAgents } from '../sub-agents/sub-agents.ts'

export interface Restart {
  /**
   * Abandons an interrupted task and runs its assignment again, from its parent's present state (S2). The
   * sub-agents below it that were interrupted or never began are abandoned with it, deepest first, because the
   * new attempt starts its own; `spared` stay as they are. Throws FailureError, also while one of them runs.
   */
  restart(taskId: TaskId, spared?: ReadonlySet<TaskId>): Promise<Restarted>
  /**
   * Runs `create` with events that abandon an interrupted task and what was left over below it, to
   * be recorded in the same write as the task that replaces it. Throws FailureError while one of
   * them runs.
   */
  replace<Created>(
    task: Task,
    cause: Cause,
    create: (also: LedgerEvent[]) => Promise<Created>,
    spared?: ReadonlySet<TaskId>,
  ): Promise<{ created: Created; abandoned: TaskId[] }>
  /** Reports whether it is being abandoned for a new attempt. No other call may resume it. */
  isBeingReplaced(taskId: TaskId): boolean
}

export interface Restarted {
  /** The new attempt. */
  taskId: TaskId
  /** The tasks below the old one that were abandoned with it. */
  abandoned: TaskId[]
}

interface RestartDependencies {
  state: LedgerState
  taskLedger: TaskLedger
  workspaces: WorkspaceService
  agentSpecs: AgentSpecs
  roots: Roots
  subAgents: SubAgents
  begin: (taskId: TaskId, request: RunRequest) => void
  isQueuedOrRunning: (taskId: TaskId) => boolean
  cleanUp: (taskId: TaskId) => void
}

export function createRestart(deps: RestartDependencies): Restart {
  const { taskLedger, workspaces, roots } = deps
  const beingReplaced = new Set<TaskId>()

  async function restart(
    taskId: TaskId,
    spared: ReadonlySet<TaskId> = new Set(),
  ): Promise<Restarted> {
    const task = taskLedger.get(taskId)
    if (beingReplaced.has(taskId))
      return refused('running', `"${task.title}" is already being restarted.`)
    if (task.status !== 'interrupted' || deps.isQueuedOrRunning(taskId)) {
      return refused(
        'not-interrupted',
        `"${task.title}" is ${task.status}: only an interrupted agent can be restarted.`,
      )
    }
    const { created, abandoned } = await replace(
      task,
      { kind: 'restarted' },
      (also) =>
        task.parentId === null ? recreateRoot(task, also) : deps.subAgents.recreate(task, ...also),
      spared,
    )
    deps.begin(created, { prompt: task.prompt, reason: 'prompt' })
    return { taskId: created, abandoned }
  }

  const replace: Restart['replace'] = async (task, cause, create, spared = new Set()) => {
    const below = descendantsOf(deps.state, task.id)
    refuseWhileAtWork(task, below)
    const abandoned = below.filter((one) => !spared.has(one.id) && isLeftOver(one))
    const replaced = [...abandoned, task]
    for (const { id } of replaced) beingReplaced.add(id)
    try {
      // In one write: if the new one can't be created, the old ones can still be resumed (S5).
      const created = await create(replaced.map((one) => abandonedFor(one, cause)))
      for (const { id } of replaced) deps.cleanUp(id)
      return { created, abandoned: abandoned.map(({ id }) => id) }
    } finally {
      for (const { id } of replaced) beingReplaced.delete(id)
    }
  }

  /** Refuses while an agent below the task runs, because no parent would receive its report. */
  function refuseWhileAtWork({ title }: Task, below: Task[]): void {
    const busy = below.find(
      ({ id, status }) => isRunning(status) || deps.isQueuedOrRunning(id) || beingReplaced.has(id),
    )
    if (busy)
      refused('running', `"${busy.title}", a sub-agent of "${title}", is running. Stop it first.`)
  }

  async function recreateRoot(task: Task, also: LedgerEvent[]): Promise<TaskId> {
    const { projectId, title, prompt, model, isolation, options } = task
    const prepared = await preparedOf(deps, task)
    const images = await imagesOf(workspaces.records, task)
    const root = { projectId, title, prompt, images, model, isolation, options, prepared }
    return roots.create({ ...root, resumedFrom: null, also })
  }

  return { restart, replace, isBeingReplaced: (taskId) => beingReplaced.has(taskId) }
}

/** Reports whether a resume could still offer the task, or a completed dependency could still release it. */
const isLeftOver = ({ status }: Task): boolean =>
  status === 'interrupted' || status === 'queued' || status === 'blocked'

/** A task that never began is cancelled, because the lifecycle abandons only tasks that ran. */
function abandonedFor({ id: taskId, status }: Task, cause: Cause): LedgerEvent {
  const type = status === 'interrupted' ? 'task.abandoned' : 'task.cancelled'
  return { type, taskId, cause }
}

/** Reads the images of the task's prompt, wherever its session is. Omits missing ones. */
export async function imagesOf(
  records: Pick<ArchiveReader, 'blob'>,
  { id, images = [] }: Task,
): Promise<CheckedImage[]> {
  const read = await Promise.all(
    images.map(async (ref) => ({ ref, data: await records.blob(id, ref.sha256) })),
  )
  return read.flatMap(({ ref, data }) => (data ? [{ ref, data }] : []))
}

/** Reads the task's spec with the files that it refers to. Throws FailureError if its session directory is gone. */
export async function preparedOf(
  { workspaces, agentSpecs }: { workspaces: WorkspaceService; agentSpecs: AgentSpecs },
  task: Task,
): Promise<Pick<PreparedAgent, 'spec' | 'files'>> {
  const home = await workspaces.records.sessionHome(task.rootId)
  if (home === null) return refused('removed', `The record of "${task.title}" is gone.`)
  return agentSpecs.read(home, task.spec)
}
