/** Starts sub-agents and saves reports at the request of agents. */

import { type AgentSpec, modelOfSpec } from '../../../shared/agents/agent-specs.ts'
import type { OpenAgent, OwnSubAgent } from '../../../shared/agents/driver/agent-session.ts'
import type { TaskRequest, TaskToolsPort } from '../../../shared/agents/driver/task-tools-port.ts'
import { ancestorsOf } from '../../../shared/projections/ledger/ledger-state.ts'
import { newTaskId, type TaskId, type ToolCallId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import { planReferenceOf } from '../../../shared/records/plan-reference.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { taskDepthMax } from '../../../shared/records/tasks/tree-options.ts'
import { saveReport } from '../../artifacts/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import type { AgentSpecs } from '../start/agent-specs.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import { namedTask } from './named-task.ts'

export interface SubAgents {
  /** Resolves once the sub-agent's task is durable (T1, T2). Throws an Error for the agent to read. */
  spawn(parentId: TaskId, request: TaskRequest, callId: ToolCallId): Promise<{ taskId: TaskId }>
  /** Like `spawn`, for a sub-agent that the agent has started by itself. */
  adopt(parentId: TaskId, subAgent: OwnSubAgent): Promise<{ taskId: TaskId }>
  /**
   * Creates a task with the same assignment, parent and call, recorded in one write with `also`. Does not
   * begin it.
   */
  recreate(task: Task, ...also: LedgerEvent[]): Promise<TaskId>
  /** Resolves once the report is durable and recorded in the ledger (A1). */
  report(taskId: TaskId, report: Parameters<TaskToolsPort['report']>[0]): Promise<void>
}

interface SubAgentsDependencies {
  ledger: Ledger
  taskLedger: TaskLedger
  workspaces: WorkspaceService
  layout: DataLayout
  agentSpecs: AgentSpecs
  clock: () => number
  /** `attached` opens an agent that already runs. */
  begin: (taskId: TaskId, prompt: string, attached?: OpenAgent) => void
  /** Reports whether the task runs and was not stopped. */
  mayStillSpawn: (taskId: TaskId) => boolean
}

export function createSubAgents(deps: SubAgentsDependencies): SubAgents {
  const { ledger, taskLedger, workspaces, layout } = deps

  async function spawn(
    parentId: TaskId,
    request: TaskRequest,
    callId: ToolCallId,
  ): Promise<{ taskId: TaskId }> {
    // A parent that was interrupted after the call was durable requests the same task again (S3).
    const asked = taskLedger.children(parentId).findLast((task) => task.callId === callId)
    if (asked) return { taskId: asked.id }
    const parent = taskLedger.get(parentId)
    const home = layout.sessionDir(parent.rootId)
    refuseDeeper(parent)
    const dir = parent.workspace?.path ?? parent.projectDir
    const { spec, files } = await deps.agentSpecs.subAgent(home, parent.spec, request.agent, dir)
    await deps.agentSpecs.save(home, { files })
    const taskId = newTaskId()
    const created = createdEvent(taskId, parent, spec, request, callId)
    if (created.dependsOn.length > 0) await ledger.record(created)
    else await createWithWorkspace(created, () => deps.mayStillSpawn(parentId))
    deps.begin(taskId, request.prompt)
    return { taskId }
  }

  async function adopt(parentId: TaskId, subAgent: OwnSubAgent): Promise<{ taskId: TaskId }> {
    const parent = taskLedger.get(parentId)
    refuseDeeper(parent)
    const { agent, title, prompt, callId, open } = subAgent
    if (parent.spec.kind !== 'acp')
      throw new Error('Only installed agents start sub-agents by themselves.')
    const spec = { ...parent.spec, agent, inside: true as const }
    const request = { agent, title, prompt, isolation: 'in-place' as const }
    const taskId = newTaskId()
    const created = createdEvent(taskId, parent, spec, request, callId)
    await createWithWorkspace(created, () => deps.mayStillSpawn(parentId))
    deps.begin(taskId, prompt, open)
    return { taskId }
  }

  function refuseDeeper(parent: Task): void {
    if (parent.depth >= taskDepthMax) {
      throw new Error(
        `Sub-agents may be nested ${taskDepthMax} deep and this one would be deeper: do the work here.`,
      )
    }
  }

  type Created = Extract<LedgerEvent, { type: 'task.created' }>

  function createdEvent(
    taskId: TaskId,
    parent: Task,
    spec: AgentSpec,
    request: TaskRequest,
    callId: ToolCallId,
  ): Created {
    const { agent, title, prompt, background: _, isolation, dependsOn = [], ...plan } = request
    return {
      type: 'task.created',
      taskId,
      parentId: parent.id,
      rootId: parent.rootId,
      projectId: parent.projectId,
      title,
      agent,
      spec,
      prompt,
      model: modelOfSpec(spec),
      // Outside Git there is nothing to branch from.
      isolation: workspaces.projects.known(parent.projectId).git
        ? (isolation ?? 'worktree')
        : 'in-place',
      callId,
      resumedFrom: null,
      dependsOn: namedSiblings(parent.id, dependsOn),
      options: parent.options,
      plan,
    }
  }

  /** Resolves references to existing siblings only, so no cycle can arise (T5). Throws an Error for the agent. */
  function namedSiblings(parentId: TaskId, texts: string[]): TaskId[] {
    const siblings = taskLedger.children(parentId)
    const scope = 'that this agent has started (dependsOn)'
    return [
      ...new Set(
        texts.flatMap((text) => ofPlan(siblings, text) ?? namedTask(siblings, text, scope).id),
      ),
    ]
  }

  /** A reference such as `05-01` means every agent that works on that plan. A title comes first. */
  function ofPlan(siblings: Task[], text: string): TaskId[] | null {
    if (siblings.some(({ title }) => title === text)) return null
    const found = siblings.filter(({ plan }) => planReferenceOf(plan) === text)
    return found.length > 0 ? found.map(({ id }) => id) : null
  }

  async function recreate(task: Task, ...also: LedgerEvent[]): Promise<TaskId> {
    const { parentId, rootId, projectId, title, agent, spec, prompt, model, isolation } = task
    const { callId, dependsOn, options, plan } = task
    const taskId = newTaskId()
    const created: Created = {
      type: 'task.created',
      taskId,
      parentId,
      rootId,
      projectId,
      title,
      agent,
      spec,
      prompt,
      model,
      isolation,
      callId,
      resumedFrom: null,
      dependsOn,
      options,
      plan,
    }
    if (dependsOn.length > 0) await ledger.record(created, ...also)
    else await createWithWorkspace(created, () => true, ...also)
    return taskId
  }

  async function createWithWorkspace(
    created: Created,
    isWanted: () => boolean,
    ...also: LedgerEvent[]
  ): Promise<void> {
    const { taskId, projectId, title, parentId: parent, isolation } = created
    try {
      const made = await workspaces.workingDirs.make(taskId, {
        projectId,
        title,
        parent,
        isolation,
      })
      // Making a worktree takes a while, and the parent may have been stopped in the meantime.
      if (!isWanted()) throw new Error('its parent was stopped')
      await ledger.record(
        created,
        {
          type: 'workspace.created',
          workspaceId: taskId,
          kind: 'task',
          ...made,
        },
        ...also,
      )
    } catch (error) {
      await workspaces.workingDirs.discard(taskId)
      throw error
    }
  }

  async function report(
    taskId: TaskId,
    given: Parameters<TaskToolsPort['report']>[0],
  ): Promise<void> {
    const task = taskLedger.get(taskId)
    const run = task.runs.at(-1)?.run ?? 1
    await saveReport(layout.sessionDir(task.parentId ?? taskId), {
      taskId,
      run,
      title: given.title,
      markdown: given.markdown,
      ancestorIds: ancestorsOf(ledger.state, taskId),
      taskResults: given.taskResults,
      nowMs: deps.clock(),
    })
    await ledger.record({ type: 'task.reported', taskId, run, title: given.title })
  }

  return { spawn, adopt, recreate, report }
}
