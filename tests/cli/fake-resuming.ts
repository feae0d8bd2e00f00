/** The resuming half of the fake world: what fake-resume.ts folds, with the app's refusals and with a wait for the end. */
import type { DriftReport } from '../../src/shared/drift.ts'
import type { TaskId } from '../../src/shared/ids.ts'
import type { LedgerEvent } from '../../src/shared/ledger.ts'
import type { LedgerState } from '../../src/shared/projections/ledger-state.ts'
import type { ResumeSelector } from '../../src/shared/resume.ts'
import { isRunning, type TaskStatus } from '../../src/shared/tasks.ts'
import { createFakeResume } from '../fixtures/fake-resume.ts'

type ResumeInput = Parameters<ReturnType<typeof createFakeResume>['resume']>[0]

export function createFakeResuming(deps: {
  state: LedgerState
  record: (...events: LedgerEvent[]) => void
  /** Throws the contract's error for an id that names none, or several. */
  find: (text: string, errors: Errors) => TaskId
  /** Resolves once something was recorded. */
  change: () => Promise<void>
  calls: { name: string; input: unknown }[]
}) {
  const { state, record, find, change, calls } = deps
  /** By task; nothing has changed unless given. */
  const drift: Record<TaskId, DriftReport> = {}
  const fake = createFakeResume({ state, record, drift })
  let play: (taskId: TaskId) => Promise<void> = async () => {}

  function refuseUnless(status: TaskStatus, text: string, errors: Errors): TaskId {
    const taskId = find(text, errors)
    const task = state.tasks.get(taskId)
    if (task?.status === status) return taskId
    const reason = task?.status === 'completed' ? 'completed' : `not-${status}`
    const message = `"${task?.title}" ${task?.status} on ${task?.endedAt}`
    throw errors.REFUSED({ message, data: { reason } })
  }

  function begin(taskId: TaskId): void {
    setImmediate(() => void play(taskId)) // as the app: after the answer
  }

  return {
    drift,
    onGoOn(next: (taskId: TaskId) => Promise<void>) {
      play = next
    },
    plan(selector: ResumeSelector, errors: Errors) {
      if (selector.by === 'task') refuseUnless('interrupted', selector.taskId, errors)
      if (selector.by === 'tree') find(selector.taskId, errors)
      const candidates = fake.plan(selector)
      if (candidates.length > 0) return { candidates }
      throw errors.REFUSED({
        message: 'No agent is interrupted here.',
        data: { reason: 'nothing-to-resume' },
      })
    },
    resume(input: ResumeInput) {
      calls.push({ name: 'tasks.resume', input })
      const outcome = fake.resume(input)
      for (const { taskId } of outcome.accepted) begin(taskId)
      return outcome
    },
    async ended({ taskIds }: { taskIds: TaskId[] }) {
      const atWork = () =>
        taskIds.some((id) => {
          const { status } = state.tasks.get(id) ?? { status: 'completed' as const }
          return isRunning(status) || status === 'queued'
        })
      while (atWork()) await change()
      return {
        ended: taskIds.map((taskId) => {
          const task = state.tasks.get(taskId)
          const { status = 'queued' as const, cause = null } = task ?? {}
          return { taskId, run: task?.runs.at(-1)?.run ?? 0, status, cause }
        }),
      }
    },
    restart(text: string, errors: Errors) {
      const restarted = fake.restart(refuseUnless('interrupted', text, errors))
      begin(restarted.taskId)
      return restarted
    },
    abandon(text: string, errors: Errors) {
      const taskId = refuseUnless('interrupted', text, errors)
      fake.abandon(taskId)
      return {}
    },
    retry(text: string, errors: Errors) {
      const taskId = refuseUnless('failed', text, errors)
      fake.retry(taskId)
      begin(taskId)
      return {}
    },
    continueFrom(text: string, prompt: string | undefined, errors: Errors) {
      const from = refuseUnless('completed', text, errors)
      const taskId = fake.continueFrom(from, prompt)
      begin(taskId)
      return { taskId }
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each procedure has its own constructors of the same errors
type Errors = any
