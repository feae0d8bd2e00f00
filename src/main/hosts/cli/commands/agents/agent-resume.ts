/** `shiplog agent run --resume`: resumes an interrupted agent and its descendants, and follows them like new ones. */

import type { PermissionMode } from '../../../../../shared/agents/permission-modes.ts'
import {
  descendantsOf,
  type LedgerState,
} from '../../../../../shared/projections/ledger/ledger-state.ts'
import { shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import type { ResumeCandidate, ResumeChoice } from '../../../../../shared/records/resume.ts'
import type { Budget } from '../../../../../shared/records/tasks/budgets.ts'
import type { Task } from '../../../../../shared/records/tasks/tasks.ts'
import type { Action } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { usageError } from '../../exit-codes.ts'
import { endOf } from '../../follow/follow-run.ts'
import { ledgerSnapshot } from '../../follow/follow-trees.ts'
import { projectPath } from '../../paths.ts'
import { nothingResumed, printDrift, refusalOf } from '../../resume/conflicts.ts'
import { withHint } from '../../resume/error-hints.ts'
import { acceptedBy, resumeAndFollow } from '../../resume/resume-and-follow.ts'
import type { Plan } from '../../resume/resume-selector.ts'
import { type CliSession, runsAgents, withShiplog } from '../../with-shiplog.ts'
import { allowSetup } from '../trust.ts'
import { reportEnd, watcherOf } from './report-run.ts'

interface AgentResumeOptions {
  /** As the user typed it. */
  id: string
  /** Its prompt on resuming; empty for none. */
  prompt: string
  /** The project in which the user expects it. */
  project?: string
  force: boolean
  trust: boolean
  maxAgents?: number | undefined
  permissions?: PermissionMode | undefined
  /** The new budget of its whole tree. Default: as before. */
  budget?: Budget | undefined
}

export function agentResume(options: AgentResumeOptions): Action {
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const state = await ledgerSnapshot(client)
      const { task, plan, choices } = await planFor(session, state, options.id)
      await checkUse(context, task, options)
      await printDrift(context.err, plan, state, context.host.now())
      const again = `shiplog agent run --resume ${shortId(task.id)}`
      const refusal = refusalOf(plan, options.force, again)
      if (refusal) throw refusal
      const project = state.projects.get(task.projectId)
      if (task.isolation === 'worktree' && project)
        await allowSetup(context, session, project, options.trust)
      const { force, maxAgents, prompt, budget } = options
      if (options.trust) {
        const resumed = new Set(plan.candidates.map(({ taskId }) => taskId))
        session.trustConfiguration(({ taskId }) => resumed.has(taskId))
      }
      if (budget) await client.tasks.setBudget({ taskId: task.rootId, budget })
      const outcome = await resumeAndFollow(session, watcherOf(context), {
        rootIds: new Set([task.rootId]),
        begin: () =>
          client.tasks.resume({
            selector: plan.selector,
            force,
            choices,
            agentsAtOnce: maxAgents,
            permissions: options.permissions,
            prompt: prompt === '' ? undefined : prompt,
          }),
        agentsOf: acceptedBy,
      })
      if (outcome.ends === null) throw nothingResumed(outcome.answer, again)
      for (const { taskId, message } of outcome.answer.refused) {
        const title = state.tasks.get(taskId)?.title ?? 'An agent'
        await context.warn(`${title} (${shortId(taskId)}) was not resumed: ${message}`)
      }
      return reportEnd(context, session, endOf(outcome.followed, task.id))
    })
}

/** Selects the agent and its interrupted descendants. The rest of the tree is not resumed. */
async function planFor({ client }: CliSession, state: LedgerState, id: string) {
  const alone = await withHint(client, 'resume', id, () =>
    client.tasks.planResume({ selector: { by: 'task', taskId: id } }),
  )
  const taskId = alone.candidates[0]?.taskId as TaskId
  const task = state.tasks.get(taskId)
  if (!task) throw new Error(`the agent ${taskId} is not in the record`)
  const selector = { by: 'tree', taskId } as const
  const { candidates } = await client.tasks.planResume({ selector })
  const selectedIds = new Set([taskId, ...descendantsOf(state, taskId).map((one) => one.id)])
  const isSelected = (one: ResumeCandidate) => selectedIds.has(one.taskId)
  const choices: Partial<Record<TaskId, ResumeChoice>> = Object.fromEntries(
    candidates.filter((one) => !isSelected(one)).map((one) => [one.taskId, 'leave' as const]),
  )
  const plan: Plan = { selector, candidates: candidates.filter(isSelected).map(relativeDepth) }
  return { task, plan, choices }
}

/** Makes depths relative to the first selected task. */
const relativeDepth = (one: ResumeCandidate, _: number, [first]: ResumeCandidate[]) => ({
  ...one,
  depth: one.depth - (first?.depth ?? 0),
})

async function checkUse(
  { host }: CliContext,
  { title, parentId, projectDir }: Task,
  { prompt, project }: AgentResumeOptions,
): Promise<void> {
  if (prompt !== '' && parentId !== null) {
    throw usageError(
      `"${title}" is a sub-agent, and only its parent gives it work. Resume it without a prompt.`,
    )
  }
  if (project === undefined || (await projectPath(project, host.cwd)) === projectDir) return
  throw usageError(`"${title}" works on ${projectDir}. With --resume, --project can be left out.`)
}
