/** The contract's answers about tasks. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import type { TaskId } from '../../../src/shared/ids.ts'
import { taskTree } from '../../../src/shared/projections/ledger-state.ts'
import type { ApplyOutcome, UndoOutcome } from '../../../src/shared/tools.ts'
import type { createFakeResuming } from '../fake-resuming.ts'
import type { Happenings } from './happenings.ts'
import type { Memory } from './memory.ts'

const os = implement(contract)

export function taskAnswers(deps: {
  memory: Memory
  happenings: Happenings
  resuming: ReturnType<typeof createFakeResuming>
  begin: (rootId: TaskId) => void
  applyOutcome: () => ApplyOutcome
  undoOutcome: () => UndoOutcome
}) {
  const { state, reports, calls, openSession, find } = deps.memory
  const { createTask } = deps.happenings
  const { resuming, begin, applyOutcome, undoOutcome } = deps
  return {
    start: os.tasks.start.handler(({ input, errors }) => {
      calls.push({ name: 'tasks.start', input })
      if (input.agent.scenario.includes('malformed')) {
        throw errors.INVALID({
          message: `${input.agent.source}:3:turn: unknown key`,
          data: { field: 'scenario' },
        })
      }
      const taskId = createTask({ projectId: input.projectId, title: input.prompt })
      begin(taskId)
      return { taskId }
    }),
    prompt: os.tasks.prompt.handler(() => ({})),
    startWaiting: os.tasks.startWaiting.handler(() => ({})),
    withdrawPrompt: os.tasks.withdrawPrompt.handler(() => ({})),
    stop: os.tasks.stop.handler(({ input, errors }) => {
      const id = find(input.taskId, errors)
      const status = state.tasks.get(id)?.status
      return {
        stopped: status === 'spawned' ? [id] : [],
        cancelled: status === 'queued' || status === 'blocked' ? [id] : [],
      }
    }),
    list: os.tasks.list.handler(({ input }) => {
      calls.push({ name: 'tasks.list', input })
      const tasks = [...state.tasks.values()].filter(
        (task) => input.all || !state.tasks.get(task.rootId)?.archived,
      )
      return { tasks: taskTree(tasks) }
    }),
    report: os.tasks.report.handler(({ input, errors }) => {
      const id = find(input.taskId, errors)
      const found = reports.get(id)
      if (found) return found
      throw errors.NOT_FOUND({ message: 'no report', data: { what: 'report', id } })
    }),
    applyPatch: os.tasks.applyPatch.handler(({ input, errors }) => {
      find(input.taskId, errors)
      return applyOutcome()
    }),
    undoApply: os.tasks.undoApply.handler(({ input, errors }) => {
      find(input.taskId, errors)
      return undoOutcome()
    }),
    planResume: os.tasks.planResume.handler(({ input, errors }) =>
      resuming.plan(input.selector, errors),
    ),
    resume: os.tasks.resume.handler(({ input }) => resuming.resume(input)),
    resumeEnded: os.tasks.resumeEnded.handler(({ input }) => resuming.ended(input)),
    restart: os.tasks.restart.handler(({ input, errors }) => {
      const restarted = resuming.restart(input.taskId, errors)
      openSession(restarted.taskId)
      return restarted
    }),
    continueFrom: os.tasks.continueFrom.handler(({ input, errors }) => {
      const continued = resuming.continueFrom(input.taskId, input.prompt, errors)
      openSession(continued.taskId)
      return continued
    }),
    abandon: os.tasks.abandon.handler(({ input, errors }) =>
      resuming.abandon(input.taskId, errors),
    ),
    rename: os.tasks.rename.handler(() => ({})),
    linkPullRequest: os.tasks.linkPullRequest.handler(() => ({ linked: true })),
    changedFileDiff: os.tasks.changedFileDiff.handler(() => ({ patch: '' })),
    retry: os.tasks.retry.handler(({ input, errors }) => resuming.retry(input.taskId, errors)),
  }
}
