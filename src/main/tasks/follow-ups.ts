/**
 * Follow-ups of a user to a root (T7). One is durable in the ledger before the caller receives an answer, and waits
 * there until a run consumes it: a crash in between loses nothing. A start never begins one automatically.
 */
import { refused } from '../../shared/failure.ts'
import { newPromptId, type PromptId, type TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { transitionFor } from './lifecycle.ts'
import type { IsReserved } from './resume/select.ts'
import type { Runner } from './runner.ts'
import type { TaskRecord } from './task-record.ts'

export interface FollowUps {
  /** Resolves once it is durable; its run begins. Throws FailureError while one is running. */
  prompt(taskId: TaskId, prompt: string): Promise<void>
  /** Begins pending work: its first prompt, or the oldest waiting follow-up. */
  startWaiting(taskId: TaskId): Promise<void>
  /** Takes back a follow-up that waits. Throws FailureError. */
  withdraw(taskId: TaskId, promptId: PromptId): Promise<void>
}

export function createFollowUps(deps: {
  ledger: Ledger
  record: TaskRecord
  isReserved: IsReserved
  runner: Pick<Runner, 'begin' | 'flushDeferred'>
}): FollowUps {
  const { ledger, record, isReserved, runner } = deps
  /** Those whose follow-up is being written: another would begin a second run. */
  const taking = new Set<TaskId>()

  async function prompt(taskId: TaskId, text: string): Promise<void> {
    await runner.flushDeferred(taskId)
    refuseUnlessIdle(record.known(taskId))
    const promptId = newPromptId()
    taking.add(taskId)
    try {
      await ledger.record({ type: 'task.prompted', taskId, promptId, prompt: text })
    } finally {
      taking.delete(taskId)
    }
    // It may have been removed, or resumed, in the meantime: the follow-up was accepted, and waits.
    if (!isIdle(record.known(taskId))) return
    runner.begin(taskId, { prompt: text, reason: 'prompt', promptId })
  }

  async function startWaiting(taskId: TaskId): Promise<void> {
    await runner.flushDeferred(taskId)
    const task = record.known(taskId)
    refuseUnlessIdle(task)
    const [waiting] = task.waitingPrompts ?? []
    if (task.status === 'queued') runner.begin(taskId, { prompt: task.prompt, reason: 'prompt' })
    else if (waiting)
      runner.begin(taskId, { prompt: waiting.prompt, reason: 'prompt', promptId: waiting.id })
    else refused('not-running', `"${task.title}" has nothing waiting to start.`)
  }

  async function withdraw(taskId: TaskId, promptId: PromptId): Promise<void> {
    const { title, waitingPrompts } = record.known(taskId)
    if (!waitingPrompts?.some(({ id }) => id === promptId))
      refused('not-running', `That follow-up does not wait in "${title}" any more.`)
    if (isReserved(taskId)) refused('running', `"${title}" is about to take it up. Stop it first.`)
    await ledger.record({ type: 'task.prompt-withdrawn', taskId, promptId })
  }

  function isIdle(task: Task): boolean {
    return !task.workspace?.removal && !isReserved(task.id) && !!transitionFor(task, 'task.spawned')
  }

  function refuseUnlessIdle(task: Task): void {
    const { id, title, parentId, workspace, status } = task
    if (parentId !== null) {
      refused(
        'not-running',
        `"${title}" is a sub-agent, and only its parent gives it work. Follow up on its root.`,
      )
    }
    if (workspace?.removal) refused('removed', `The workspace of "${title}" was removed.`)
    if (isReserved(id) || taking.has(id))
      refused('running', `"${title}" is running. Wait for it, or stop it first.`)
    if (!transitionFor(task, 'task.spawned'))
      refused('not-running', `"${title}" is ${status}: start a new agent instead.`)
  }

  return { prompt, startWaiting, withdraw }
}
