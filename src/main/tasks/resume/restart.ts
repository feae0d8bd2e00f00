/**
 * Two alternatives to a resume: running the same assignment again from its beginning, and a new task that
 * continues from where another one ended (T4).
 */

import type { PreparedAgent } from '../../../shared/agents/agent.ts'
import { modelOfSpec } from '../../../shared/agents/agent-specs.ts'
import type { PromptImage } from '../../../shared/agents/images.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { invalid, refused } from '../../../shared/failure.ts'
import { descendantsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import { runIdOf, type TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import { isRunning, type Task } from '../../../shared/records/tasks.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import { type CheckedImage, checkImages } from '../messages/prompt-images.ts'
import type { RunRequest } from '../runner.ts'
import { type AgentSpecs, onModel } from '../start/agent-specs.ts'
import type { Roots } from '../start/roots.ts'
import type { TaskRecord } from '../state/task-record.ts'
import type { SubAgents } from '../sub-agents/sub-agents.ts'
import type { LineageCheck } from './lineage.ts'

export interface Restart {
  /**
   * Abandons an interrupted task and runs its assignment again, from its parent's present state (S2). The
   * sub-agents below it that were interrupted or never began are abandoned with it, deepest first, because the
   * new attempt starts its own; `spared` stay as they are. Throws FailureError, also while one of them runs.
   */
  restart(taskId: TaskId, spared?: ReadonlySet<TaskId>): Promise<Restarted>
  /**
   * A new root that continues a finished task: with its history and the state of its files. `prompt`: by default the
   * old one's with its images, and so are model and mode of permissions. Throws FailureError.
   */
  continueFrom(
    taskId: TaskId,
    given: {
      prompt?: string | undefined
      images?: readonly PromptImage[]
      /** `PROVIDER/MODEL`. */
      model?: string | undefined
      permissions?: PermissionMode | undefined
      /** The environment variable that holds the model's key, by name. */
      keyEnv?: string | undefined
    },
  ): Promise<TaskId>
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
  record: TaskRecord
  workspaces: WorkspaceService
  agentSpecs: AgentSpecs
  roots: Roots
  subAgents: SubAgents
  begin: (taskId: TaskId, request: RunRequest) => void
  isQueuedOrRunning: (taskId: TaskId) => boolean
  cleanUp: (taskId: TaskId) => void
  checkLineage: (task: Task) => Promise<LineageCheck>
}

export function createRestart(deps: RestartDependencies): Restart {
  const { record, workspaces, agentSpecs, roots } = deps
  const beingReplaced = new Set<TaskId>()

  async function restart(
    taskId: TaskId,
    spared: ReadonlySet<TaskId> = new Set(),
  ): Promise<Restarted> {
    const task = record.known(taskId)
    if (beingReplaced.has(taskId))
      return refused('running', `"${task.title}" is already being restarted.`)
    if (task.status !== 'interrupted' || deps.isQueuedOrRunning(taskId)) {
      return refused(
        'not-interrupted',
        `"${task.title}" is ${task.status}: only an interrupted agent can be restarted.`,
      )
    }
    const below = descendantsOf(deps.state, taskId)
    refuseWhileAtWork(task, below)
    const abandoned = below.filter((one) => !spared.has(one.id) && isLeftOver(one))
    const replaced = [...abandoned, task]
    for (const { id } of replaced) beingReplaced.add(id)
    try {
      // In one write: if the new one can't be created, the old ones can still be resumed (S5).
      const also = replaced.map(abandonedFor)
      const fresh =
        task.parentId === null
          ? await sameRoot(task, also)
          : await deps.subAgents.again(task, ...also)
      for (const { id } of replaced) deps.cleanUp(id)
      deps.begin(fresh, { prompt: task.prompt, reason: 'prompt' })
      return { taskId: fresh, abandoned: abandoned.map(({ id }) => id) }
    } finally {
      for (const { id } of replaced) beingReplaced.delete(id)
    }
  }

  /** No agent would receive its report. */
  function refuseWhileAtWork({ title }: Task, below: Task[]): void {
    const busy = below.find(
      ({ id, status }) => isRunning(status) || deps.isQueuedOrRunning(id) || beingReplaced.has(id),
    )
    if (busy)
      refused('running', `"${busy.title}", a sub-agent of "${title}", is running. Stop it first.`)
  }

  async function sameRoot(task: Task, also: LedgerEvent[]): Promise<TaskId> {
    const { projectId, title, prompt, model, isolation, options } = task
    const prepared = await preparedOf(task)
    const images = await imagesOf(task)
    const root = { projectId, title, prompt, images, model, isolation, options, prepared }
    return roots.create({ ...root, resumedFrom: null, also })
  }

  const continueFrom: Restart['continueFrom'] = async (taskId, given) => {
    const asked = checkImages(given.images ?? [])
    const task = record.known(taskId)
    const { title, status } = task
    if (isRunning(status) || status === 'queued' || deps.isQueuedOrRunning(taskId))
      return refused('running', `"${title}" is not over yet: wait for it, or stop it first.`)
    if (status === 'interrupted')
      return refused('not-interrupted', `"${title}" was interrupted: resume it instead.`)
    if (task.trashed) return refused('removed', `"${title}" is in the trash. Take it out first.`)
    // Before anything is made: a deleted history can't be continued.
    const whole = { taskId, seq: Number.MAX_SAFE_INTEGER }
    const { damage, lastSeq } = await deps.checkLineage({ ...task, resumedFrom: whole })
    const { projectId, isolation, options } = task
    const said = given.prompt?.trim() ?? ''
    const isAsked = said !== '' || asked.length > 0
    const prompt = isAsked ? said : task.prompt
    const images = isAsked ? asked : await imagesOf(task)
    const { spec, files } = await preparedOf(task)
    const onWanted = given.model === undefined ? spec : onModel(agentSpecs, spec, given.model)
    const { keyEnv } = given
    if (keyEnv !== undefined && onWanted.kind !== 'model')
      return invalid('keyEnv', `"${title}" is no model: it needs no key.`)
    const prepared = { spec: keyEnv === undefined ? onWanted : { ...onWanted, keyEnv }, files }
    const continued = await roots.create({
      projectId,
      title,
      prompt,
      images,
      model: modelOfSpec(prepared.spec),
      isolation,
      options: { ...options, ...(given.permissions && { permissions: given.permissions }) },
      prepared,
      resumedFrom: { taskId, seq: lastSeq },
      commit: (await workspaces.lastState(taskId)) ?? undefined,
    })
    deps.begin(continued, {
      prompt,
      reason: 'prompt',
      prepare: async () => historyLost(continued, damage),
    })
    return continued
  }

  /** Wherever its session is. */
  async function imagesOf({ id, images = [] }: Task): Promise<CheckedImage[]> {
    const read = await Promise.all(
      images.map(async (ref) => ({ ref, data: await workspaces.records.blob(id, ref.sha256) })),
    )
    return read.flatMap(({ ref, data }) => (data ? [{ ref, data }] : []))
  }

  async function preparedOf(task: Task): Promise<Pick<PreparedAgent, 'spec' | 'files'>> {
    const home = await workspaces.records.sessionHome(task.rootId)
    if (home === null) return refused('removed', `The record of "${task.title}" is gone.`)
    return agentSpecs.read(home, task.spec)
  }

  return { restart, continueFrom, isBeingReplaced: (taskId) => beingReplaced.has(taskId) }
}

/** A resume would still offer it, or something that completes could still release it. */
const isLeftOver = ({ status }: Task): boolean =>
  status === 'interrupted' || status === 'queued' || status === 'blocked'

/** One that never began is cancelled: the lifecycle abandons only what ran. */
function abandonedFor({ id: taskId, status }: Task): LedgerEvent {
  const type = status === 'interrupted' ? 'task.abandoned' : 'task.cancelled'
  return { type, taskId, cause: { kind: 'restarted' } }
}

/** Parts of its history are missing, which its record has to mention. */
function historyLost(taskId: TaskId, damage: string[]): EntryBody[] {
  if (damage.length === 0) return []
  return [{ type: 'resume', runId: runIdOf(taskId, 1), drift: damage }]
}
