/**
 * A new root that continues another task (T4): with its history and files, at its end or at one of its turns, with the
 * same agent or another one.
 */

import { type AgentChoice, modelOfSpec } from '../../../shared/agents/agent-specs.ts'
import type { PreparedAgent } from '../../../shared/agents/driver/agent-driver.ts'
import type { PromptImage } from '../../../shared/agents/images.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { invalid, refused } from '../../../shared/failure.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import { type ProjectId, runIdOf, type TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import type { Isolation } from '../../../shared/records/projects/workspaces.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { ResumedFrom, Task } from '../../../shared/records/tasks/tasks.ts'
import { agentsAtOnceDefault } from '../../../shared/records/tasks/tree-options.ts'
import type { TurnStore } from '../../turn-store/turn-store.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import { checkImages } from '../messages/prompt-images.ts'
import type { RunRequest } from '../running/run-request.ts'
import { type AgentSpecs, onModel, prepareChoice } from '../start/agent-specs.ts'
import type { Roots } from '../start/roots.ts'
import { titleOf } from '../start/start-task.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import { type LineageCheck, turnEndOf } from './lineage.ts'
import type { FindRecordedPlace } from './recorded-place.ts'
import { imagesOf, preparedOf, type Restart } from './restart.ts'

interface Given {
  /** Absent: the task's own, with its images. */
  prompt?: string | undefined
  images?: readonly PromptImage[]
  /** Another agent. Absent: the same. */
  agent?: AgentChoice | undefined
  /** An entry: continues from the end of its turn, with the files of that moment. Absent: from the end of the task. */
  at?: number | undefined
  /** `PROVIDER/MODEL`. */
  model?: string | undefined
  permissions?: PermissionMode | undefined
  /** The environment variable that holds the model's key, by name. */
  keyEnv?: string | undefined
  /** Where an imported session is continued. */
  place?: { projectId: ProjectId; isolation?: Isolation | undefined } | undefined
}

/**
 * Resolves once the new task is durable. An interrupted task can be continued from its end only
 * with another agent or model, and is abandoned because the new task replaces it. A task that is
 * continued at a turn is not changed. Throws FailureError.
 */
export type ContinueFrom = (taskId: TaskId, given: Given) => Promise<TaskId>

export function createContinueFrom(deps: {
  taskLedger: TaskLedger
  workspaces: WorkspaceService
  turnStore: Pick<TurnStore, 'open'>
  agentSpecs: AgentSpecs
  roots: Roots
  replace: Restart['replace']
  begin: (taskId: TaskId, request: RunRequest) => void
  isQueuedOrRunning: (taskId: TaskId) => boolean
  checkLineage: (task: Task) => Promise<LineageCheck>
  findRecordedPlace: FindRecordedPlace
}): ContinueFrom {
  const { taskLedger, workspaces, agentSpecs, roots } = deps

  return async (taskId, given) => {
    const asked = checkImages(given.images ?? [])
    const task = taskLedger.get(taskId)
    if (given.place && !task.imported)
      invalid('place', `"${task.title}" continues in its own project.`)
    refuseUnlessOver(task, given)
    // Checked before anything is created, because a deleted history can't be continued.
    const from = {
      taskId,
      seq:
        given.at === undefined
          ? Number.MAX_SAFE_INTEGER
          : await turnEndOf(workspaces.records, task, given.at),
    }
    const { damage, lastSeq } = await deps.checkLineage({ ...task, resumedFrom: from })
    const said = given.prompt?.trim() ?? ''
    const isAsked = said !== '' || asked.length > 0
    const prompt = isAsked ? said : task.prompt
    const place = task.imported ? await placeOfImported(task, { ...given, isAsked }) : null
    const projectId = place?.projectId ?? task.projectId
    const prepared = await agentOf(task, projectId, given)
    // An imported session stays in the archive under its title; the list of agents shows what was asked of this one.
    const title = (place && titleOf(prompt)) || task.title
    const options = place ? { agentsAtOnce: agentsAtOnceDefault, keep: false } : task.options
    const create = async (also: LedgerEvent[]) =>
      roots.create({
        projectId,
        title,
        prompt,
        prepared,
        also,
        images: isAsked ? asked : await imagesOf(workspaces.records, task),
        model: modelOfSpec(prepared.spec),
        options: { ...options, ...(given.permissions && { permissions: given.permissions }) },
        resumedFrom: { taskId, seq: lastSeq },
        ...(await filesToContinue(task, given.at === undefined ? null : lastSeq, place)),
      })
    const continued =
      task.status === 'interrupted' && given.at === undefined
        ? (await deps.replace(task, { kind: 'abandoned' }, create)).created
        : await create([])
    deps.begin(continued, {
      prompt,
      reason: 'prompt',
      prepare: async () => changedSince(continued, [...(place?.drift ?? []), ...damage]),
    })
    return continued
  }

  /** Resolves where an imported session continues. Its files at a turn are unknown, so it gets the present ones. */
  async function placeOfImported(
    task: Task,
    { isAsked, place, at }: Given & { isAsked: boolean },
  ): Promise<{ projectId: ProjectId; isolation: Isolation; drift: string[] }> {
    if (!isAsked) invalid('prompt', `"${task.title}" was imported: say what to do next.`)
    if (!place)
      return invalid('place', `"${task.title}" was imported: name the project to continue it in.`)
    const { projectId } = place
    const isolation = await workspaces.projects.checkStart(projectId, place.isolation ?? 'in-place')
    const { places } = await deps.findRecordedPlace(task, { at, chosen: projectId })
    const chosen = places.find((one) => one.kind === 'project' && one.projectId === projectId)
    const drift = chosen?.drift ?? []
    return { projectId, isolation, drift }
  }

  /** Returns where the new task works and the files that it begins with: those at entry `seq`, or the last ones. */
  async function filesToContinue(
    task: Task,
    seq: number | null,
    place: { isolation: Isolation } | null,
  ): Promise<Pick<Parameters<Roots['create']>[0], 'isolation' | 'files'>> {
    if (place) return { isolation: place.isolation }
    if (seq !== null) {
      const commit = await commitAt(task, { taskId: task.id, seq })
      return { isolation: 'worktree', files: { commit, base: baseOf(task) } }
    }
    const commit = await workspaces.lastState(task.id)
    const files = commit === null ? undefined : { commit, base: baseOf(task) }
    return { isolation: task.isolation, files }
  }

  function refuseUnlessOver({ id, title, status, trashed }: Task, given: Given): void {
    if (trashed) refused('removed', `"${title}" is in the trash. Restore it first.`)
    // The turns before are complete, whatever the task does now.
    if (given.at !== undefined) return
    if (isRunning(status) || status === 'queued' || deps.isQueuedOrRunning(id))
      refused('running', `"${title}" has not ended yet. Wait for it, or stop it first.`)
    if (status === 'interrupted' && given.agent === undefined && given.model === undefined)
      refused(
        'not-interrupted',
        `"${title}" was interrupted: resume it instead, or continue it with another agent or model.`,
      )
  }

  async function agentOf(
    task: Task,
    projectId: ProjectId,
    { agent, model, keyEnv }: Given,
  ): Promise<Pick<PreparedAgent, 'spec' | 'files'>> {
    if (agent !== undefined) {
      if (model !== undefined || keyEnv !== undefined)
        return invalid('agent', 'Give the model and its key with the agent.')
      const { dir } = workspaces.projects.known(projectId)
      await workspaces.environments.learn(projectId)
      return prepareChoice(agentSpecs, agent, dir)
    }
    const { spec, files } = await preparedOf(deps, task)
    const onWanted = model === undefined ? spec : onModel(agentSpecs, spec, model)
    if (keyEnv === undefined) return { spec: onWanted, files }
    if (onWanted.kind !== 'model')
      return invalid('keyEnv', `"${task.title}" is not a model, so it needs no key.`)
    return { spec: { ...onWanted, keyEnv }, files }
  }

  /**
   * The base of the tree's changes, so that they are applied with those of the new root: those of a sub-agent are on top
   * of its parents', which the new root has as well. Null if the project has them already.
   */
  function baseOf({ rootId }: Task): string | null {
    const { workspace, patch } = taskLedger.get(rootId)
    return workspace?.isolation === 'worktree' && patch !== 'applied' ? workspace.baseCommit : null
  }

  /** Resolves with a commit of the files as of an entry. Throws FailureError if they are not kept. */
  async function commitAt({ title, projectId }: Task, { taskId, seq }: ResumedFrom) {
    if (!workspaces.projects.known(projectId).git)
      return refused(
        'not-git',
        `The folder of "${title}" is not in Git, so its files are not kept by turn. Continue from its end instead.`,
      )
    const known = (await workspaces.records.sessionState(taskId, seq))?.tree
    const commit = known?.head
      ? await deps.turnStore.open(projectId).commitOf({ tree: known.tree, head: known.head })
      : null
    if (commit === null)
      return refused(
        'removed',
        `No files are kept for entry ${seq} of "${title}". Continue from a later turn, or from its end.`,
      )
    return commit
  }
}

/** Returns the entry for unreadable parts of the history and changes since an imported session; none without them. */
function changedSince(taskId: TaskId, drift: string[]): EntryBody[] {
  if (drift.length === 0) return []
  return [{ type: 'resume', runId: runIdOf(taskId, 1), drift }]
}
