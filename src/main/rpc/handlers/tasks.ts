/** The handlers of tasks. */
import type { AgentChoice } from '../../../shared/agents/agent-specs.ts'
import { untilAborted } from '../../../shared/async/until-aborted.ts'
import { isWiderBudget } from '../../../shared/records/tasks/budgets.ts'
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const taskHandlers = (
  { os, taskId, requirePerson, refuseWiderMode }: Calls,
  { ledger, tasks, workspaces, limitSettings }: RouterDependencies,
) => ({
  start: os.tasks.start.handler(async ({ input, context }) => {
    const { agent, budget, env, permissions, projectId } = input
    const isWider = budget !== undefined && isWiderBudget(budget, limitSettings.current().budget)
    // Only a user decides which of their variables an agent receives (K2).
    if (needsDecision(agent) || isWider || env?.length) requirePerson(context)
    refuseWiderMode(permissions, projectId, context)
    return { taskId: await tasks.start(input) }
  }),
  prompt: os.tasks.prompt.handler(async ({ input }) => {
    const { prompt, images } = input
    if (input.atNextTurn) await tasks.followUps.steer(input.taskId, prompt, { images })
    else await tasks.followUps.prompt(input.taskId, prompt, { images })
    return {}
  }),
  startWaitingPrompt: os.tasks.startWaitingPrompt.handler(async ({ input }) => {
    await tasks.followUps.startWaitingPrompt(taskId(input.taskId))
    return {}
  }),
  withdrawPrompt: os.tasks.withdrawPrompt.handler(async ({ input }) => {
    await tasks.followUps.withdraw(taskId(input.taskId), input.promptId)
    return {}
  }),
  stop: os.tasks.stop.handler(({ input }) =>
    tasks.stop(taskId(input.taskId), { kind: 'stopped', by: 'person' }),
  ),
  wrapUp: os.tasks.wrapUp.handler(({ input }) => tasks.wrapUp(taskId(input.taskId))),
  compact: os.tasks.compact.handler(({ input }) => tasks.compact(taskId(input.taskId))),
  tryNow: os.tasks.tryNow.handler(({ input }) => ({ trying: tasks.tryNow(taskId(input.taskId)) })),
  wake: os.tasks.wake.handler(async ({ input }) => {
    await tasks.sleeping.wakeNow(taskId(input.taskId))
    return {}
  }),
  cancelSleep: os.tasks.cancelSleep.handler(async ({ input }) => {
    await tasks.sleeping.cancel(taskId(input.taskId))
    return {}
  }),
  setBudget: os.tasks.setBudget.handler(async ({ input }) => {
    await tasks.limits.setBudget(taskId(input.taskId), input.budget)
    return {}
  }),
  list: os.tasks.list.handler(({ input }) => ({ tasks: tasks.list(input) })),
  report: os.tasks.report.handler(({ input }) => tasks.report(taskId(input.taskId), input)),
  applyPatch: os.tasks.applyPatch.handler(({ input }) =>
    workspaces.apply(taskId(input.taskId), input.selection),
  ),
  undoApply: os.tasks.undoApply.handler(({ input }) => workspaces.undoApply(taskId(input.taskId))),
  planResume: os.tasks.planResume.handler(async ({ input }) => ({
    candidates: await tasks.resuming.plan(input.selector),
  })),
  resume: os.tasks.resume.handler(({ input, context }) => {
    // Any change of the mode requires a user, so its width is not checked.
    if (input.permissions) requirePerson(context)
    return tasks.resuming.resume(input)
  }),
  resumeEnded: os.tasks.resumeEnded.handler(async ({ input, signal }) => ({
    ended: await untilAborted(tasks.resuming.ended(input.taskIds), signal),
  })),
  restart: os.tasks.restart.handler(({ input }) => tasks.restarting.restart(taskId(input.taskId))),
  continueFrom: os.tasks.continueFrom.handler(async ({ input, context }) => {
    const from = taskId(input.taskId)
    const projectId = input.place?.projectId ?? ledger.state.tasks.get(from)?.projectId
    if (projectId) refuseWiderMode(input.permissions, projectId, context)
    const isDecision = input.keyEnv !== undefined || (input.agent && needsDecision(input.agent))
    if (isDecision) requirePerson(context)
    return { taskId: await tasks.continueFrom(from, input) }
  }),
  continuation: os.tasks.continuation.handler(({ input }) =>
    tasks.continuation(taskId(input.taskId), { at: input.at, chosen: input.projectId }),
  ),
  setNextRun: os.tasks.setNextRun.handler(async ({ input }) => {
    await tasks.setNextRun(taskId(input.taskId), input)
    return {}
  }),
  abandon: os.tasks.abandon.handler(async ({ input }) => {
    await tasks.abandon(taskId(input.taskId), { kind: 'abandoned' })
    return {}
  }),
  changedFileDiff: os.tasks.changedFileDiff.handler(async ({ input }) => ({
    patch: await tasks.resuming.changedFileDiff(taskId(input.taskId), input),
  })),
  rename: os.tasks.rename.handler(async ({ input }) => {
    await tasks.rename(taskId(input.taskId), input.title)
    return {}
  }),
  linkPullRequest: os.tasks.linkPullRequest.handler(async ({ input, context }) => ({
    linked: await tasks.linkPullRequest(
      taskId(input.taskId),
      input.url,
      // Without the grant `decide`, the caller may be an agent's shell.
      context.grant === 'decide' ? 'person' : 'command',
    ),
  })),
  retry: os.tasks.retry.handler(async ({ input }) => {
    await tasks.retry(taskId(input.taskId))
    return {}
  }),
})

/**
 * Whether the choice requires a user: the variable with a key (K2), a command, which runs without a question, or the
 * mode and options of an installed agent, which may grant it more rights.
 */
const needsDecision = (agent: AgentChoice): boolean =>
  (agent.kind === 'model' && agent.keyEnv !== undefined) ||
  (agent.kind === 'acp' &&
    (agent.command !== undefined || agent.mode !== undefined || agent.options !== undefined))
