/** The contract's answers about tasks. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import { taskTree } from '../../../src/shared/projections/ledger-state.ts'
import { noUsage } from '../../../src/shared/usage.ts'
import type { createFakeResume } from '../../fixtures/fake-resume.ts'
import type { Happenings } from './happenings.ts'
import type { Memory } from './memory.ts'

const os = implement(contract)

export function taskAnswers(deps: {
  memory: Memory
  happenings: Happenings
  resuming: ReturnType<typeof createFakeResume>
}) {
  const { ledger, reports, calls, record, taskIdOf } = deps.memory
  const { start } = deps.happenings
  const { resuming } = deps
  return {
    start: os.tasks.start.handler(({ input, errors }) => {
      if (input.agent.scenario.includes('nonsense'))
        throw errors.INVALID({
          message: `${input.agent.source}:3: unknown key "nonsense". Remove it or see the scenario format.`,
          data: { field: 'scenario' },
        })
      return { taskId: start(input.projectId, input.prompt, 'lead') }
    }),
    startWaiting: os.tasks.startWaiting.handler(() => ({})),
    withdrawPrompt: os.tasks.withdrawPrompt.handler(() => ({})),
    prompt: os.tasks.prompt.handler(({ input }) => {
      calls.push({ path: 'tasks.prompt', input })
      return {}
    }),
    stop: os.tasks.stop.handler(({ input }) => {
      const id = taskIdOf(input.taskId)
      record({
        type: 'task.interrupted',
        taskId: id,
        run: 1,
        cause: { kind: 'stopped', by: 'person' },
        usage: noUsage,
      })
      return { stopped: [id], cancelled: [] }
    }),
    list: os.tasks.list.handler(() => ({ tasks: taskTree([...ledger.tasks.values()]) })),
    report: os.tasks.report.handler(({ input, errors }) => {
      calls.push({ path: 'tasks.report', input })
      const report = reports.get(taskIdOf(input.taskId))
      if (!report)
        throw errors.NOT_FOUND({
          message: 'It has no report.',
          data: { what: 'report', id: input.taskId },
        })
      return report
    }),
    applyPatch: os.tasks.applyPatch.handler(() => ({
      kind: 'applied' as const,
      files: [{ path: 'src/lamp.ts', change: 'modified' as const, oldPath: null }],
    })),
    undoApply: os.tasks.undoApply.handler(() => ({
      kind: 'undone' as const,
      files: 1,
      paths: ['src/lamp.ts'],
    })),
    planResume: os.tasks.planResume.handler(({ input }) => ({
      candidates: resuming.plan(input.selector),
    })),
    resume: os.tasks.resume.handler(({ input }) => resuming.resume(input)),
    resumeEnded: os.tasks.resumeEnded.handler(({ input }) => ({
      ended: input.taskIds.map((taskId) => {
        const task = ledger.tasks.get(taskId)
        const run = task?.runs.at(-1)?.run ?? 0
        return { taskId, run, status: task?.status ?? 'queued', cause: task?.cause ?? null }
      }),
    })),
    restart: os.tasks.restart.handler(({ input }) => resuming.restart(input.taskId)),
    continueFrom: os.tasks.continueFrom.handler(({ input }) => ({
      taskId: resuming.continueFrom(input.taskId, input.prompt),
    })),
    abandon: os.tasks.abandon.handler(({ input }) => {
      resuming.abandon(input.taskId)
      return {}
    }),
    rename: os.tasks.rename.handler(() => ({})),
    linkPullRequest: os.tasks.linkPullRequest.handler(() => ({ linked: true })),
    changedFileDiff: os.tasks.changedFileDiff.handler(() => ({ patch: '' })),
    retry: os.tasks.retry.handler(({ input }) => {
      resuming.retry(input.taskId)
      return {}
    }),
  }
}
