/** Starts a root agent at a user's request. */
import {
  type AgentChoice,
  type AgentSpec,
  modelOfSpec,
} from '../../../shared/agents/agent-specs.ts'
import type { PromptImage } from '../../../shared/agents/images.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { LimitSettings } from '../../../shared/contract/limits.ts'
import { invalid } from '../../../shared/failure.ts'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { Isolation } from '../../../shared/records/projects/workspaces.ts'
import { type Budget, hasLimit } from '../../../shared/records/tasks/budgets.ts'
import { titleCharsMax } from '../../../shared/records/tasks/tasks.ts'
import { agentsAtOnceDefault } from '../../../shared/records/tasks/tree-options.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import { checkImages } from '../messages/prompt-images.ts'
import type { Runner } from '../running/runner.ts'
import { type AgentSpecs, prepareChoice } from './agent-specs.ts'
import type { Roots } from './roots.ts'

export interface StartTask {
  projectId: ProjectId
  agent: AgentChoice
  prompt: string
  images?: PromptImage[]
  title?: string | undefined
  isolation: Isolation
  agentsAtOnce?: number | undefined
  keep: boolean
  env?: string[] | undefined
  permissions?: PermissionMode | undefined
  /** Null for no limit; absent for the default in the settings. */
  budget?: Budget | null | undefined
  /** How often the tree waits for a spent quota; 0 for never, absent for the default in the settings. */
  quotaWaits?: number | undefined
  /** Absent for the default in the settings. */
  readsRecord?: boolean | undefined
}

/** Resolves once the task is durable and its worktree exists. Throws FailureError. */
export function createStartTask(deps: {
  agentSpecs: AgentSpecs
  roots: Roots
  runner: Pick<Runner, 'begin'>
  workspaces: Pick<WorkspaceService, 'environments' | 'projects'>
  hasPrice: (spec: AgentSpec) => Promise<boolean>
  defaultLimits: () => LimitSettings
  agentsAtOnce?: number | undefined
}) {
  const { agentSpecs, roots, runner, workspaces } = deps

  async function startTask(request: StartTask): Promise<TaskId> {
    const { projectId, prompt } = request
    const images = checkImages(request.images ?? [])
    await workspaces.environments.learn(projectId)
    const prepared = await prepareChoice(
      agentSpecs,
      request.agent,
      workspaces.projects.known(projectId).dir,
    )
    const isolation = await workspaces.projects.checkStart(projectId, request.isolation)
    const quotaWaits = request.quotaWaits ?? deps.defaultLimits().quotaWaits
    const readsRecord = request.readsRecord ?? deps.defaultLimits().readsRecord ?? false
    const budget = await budgetOf(request, prepared.spec)
    const taskId = await roots.create({
      projectId,
      title: request.title?.trim() || titleOf(prompt) || titleOf(prepared.title) || prepared.title,
      prompt,
      images,
      model: modelOfSpec(prepared.spec),
      isolation,
      options: {
        agentsAtOnce: request.agentsAtOnce ?? deps.agentsAtOnce ?? agentsAtOnceDefault,
        keep: request.keep,
        ...(request.env?.length ? { env: request.env } : {}),
        ...(request.permissions ? { permissions: request.permissions } : {}),
        ...(hasLimit(budget) ? { budget } : {}),
        ...(quotaWaits > 0 ? { quotaWaits } : {}),
        ...(readsRecord ? { readsRecord } : {}),
      },
      prepared,
      resumedFrom: null,
    })
    runner.begin(taskId, { prompt, reason: 'prompt' })
    return taskId
  }

  async function budgetOf(request: StartTask, spec: AgentSpec): Promise<Budget | null> {
    const budget = request.budget === undefined ? deps.defaultLimits().budget : request.budget
    if (budget?.usd === undefined || budget.allowUnpriced || (await deps.hasPrice(spec)))
      return budget
    // A default must not prevent a start: the dialog says that it does not count this model.
    if (request.budget === undefined) return { ...budget, allowUnpriced: true }
    const model = request.agent.kind === 'model' ? request.agent.model : modelOfSpec(spec)
    return invalid(
      'budget',
      `${model} has no known price, so a budget in money can't be enforced. Set one in tokens or time.`,
    )
  }

  return startTask
}

/** Returns the first line of a prompt, at most `titleCharsMax` characters. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  const characters = [...line]
  return characters.length > titleCharsMax
    ? `${characters.slice(0, titleCharsMax - 1).join('')}…`
    : line
}
