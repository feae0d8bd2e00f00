/**
 * Follow-ups of a user to a root (T7). One is durable in the ledger before the caller receives an
 * answer, and waits there until a run consumes it: a crash in between loses nothing. One that comes
 * while the root is at work is queued: the root continues with it once its run has completed. After
 * any other end, and after a start of Shiplog, it waits for the user, because a user who stopped
 * a run may not want the next one.
 */
import type { PromptImage } from '../../../shared/agents/images.ts'
import { refused } from '../../../shared/failure.ts'
import { newPromptId, type PromptId, type TaskId } from '../../../shared/records/ids.ts'
import type { SentComments } from '../../../shared/records/review-comments.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  type WaitingPrompt,
  waitingPromptsMax,
} from '../../../shared/records/tasks/waiting-prompts.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { IsReserved } from '../resume/select.ts'
import type { Runner } from '../running/runner.ts'
import { transitionFor } from '../state/lifecycle.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import { type CheckedImage, checkImages, keepImages } from './prompt-images.ts'

interface GivenWithPrompt {
  images?: readonly PromptImage[] | undefined
  /** The comments on changes that the prompt consists of. */
  comments?: SentComments | undefined
}

export interface FollowUps {
  /** Resolves once it is durable. Its run begins, or it waits for the end of the current one. Throws FailureError. */
  prompt(taskId: TaskId, prompt: string, given?: GivenWithPrompt): Promise<void>
  /**
   * Sends a message to the running agent, a root or not, which gets it before its next turn (Q3).
   * Resolves once it is durable. Throws FailureError if it is not running, or takes no messages.
   */
  steer(taskId: TaskId, message: string, given?: GivenWithPrompt): Promise<void>
  /** Messages that were not delivered to its agent yet, oldest first. */
  messagesFor(taskId: TaskId): WaitingPrompt[]
  /**
   * Calls `record`, which makes a message durable in the agent's session, then records the delivery. Resolves with
   * false, recording nothing, if the user has withdrawn the message. A delivery in progress can't be withdrawn.
   */
  deliver(taskId: TaskId, promptId: PromptId, record: () => Promise<void>): Promise<boolean>
  /**
   * Begins pending work: its first prompt, or the oldest waiting follow-up. Throws FailureError
   * while one is running.
   */
  startWaitingPrompt(taskId: TaskId): Promise<void>
  /** Withdraws a waiting follow-up. Throws FailureError. */
  withdraw(taskId: TaskId, promptId: PromptId): Promise<void>
}

export function createFollowUps(deps: {
  ledger: Ledger
  taskLedger: TaskLedger
  layout: Pick<DataLayout, 'sessionDir'>
  isReserved: IsReserved
  runs: Pick<RunRegistry, 'ended' | 'isQueuedOrRunning' | 'mayStillSpawn'>
  runner: Pick<Runner, 'begin' | 'flushDeferred' | 'isAttached'>
}): FollowUps {
  const { ledger, taskLedger, isReserved, runs, runner } = deps
  /**
   * Follow-ups that begin without the user: those sent while this process was running their root.
   */
  const queued = new Set<PromptId>()
  /** The follow-ups that the current run consumes. */
  const starting = new Map<TaskId, PromptId>()
  const beingDelivered = new Set<PromptId>()
  /** Still listed as waiting in the ledger until the withdrawal is recorded. */
  const beingWithdrawn = new Set<PromptId>()

  async function prompt(
    taskId: TaskId,
    text: string,
    { images = [], comments }: GivenWithPrompt = {},
  ): Promise<void> {
    const checked = checkImages(images)
    await runner.flushDeferred(taskId)
    const task = taskLedger.get(taskId)
    const isAtWork = runs.isQueuedOrRunning(taskId)
    if (isAtWork) refuseUnlessRoot(task)
    else refuseUnlessIdle(task)
    refuseMore(task)
    const promptId = newPromptId()
    const said = await saidWith(taskId, text, checked, comments)
    await ledger.record({ type: 'task.prompted', taskId, promptId, ...said })
    if (isAtWork || runs.isQueuedOrRunning(taskId)) {
      queued.add(promptId)
      startNextAfterRun(taskId)
    }
    // If the workspace was removed meanwhile, the accepted follow-up stays queued.
    else if (isIdle(taskLedger.get(taskId))) beginWith(taskId, { id: promptId, ...said })
  }

  /** Returns the event's fields. The images are durable when it resolves. */
  async function saidWith(
    taskId: TaskId,
    prompt: string,
    checked: readonly CheckedImage[],
    comments: SentComments | undefined,
  ) {
    const images = await keepImages(deps.layout.sessionDir(taskId), checked)
    return { prompt, ...(images.length > 0 && { images }), ...(comments && { comments }) }
  }

  async function steer(
    taskId: TaskId,
    text: string,
    { images = [], comments }: GivenWithPrompt = {},
  ): Promise<void> {
    const checked = checkImages(images)
    const task = taskLedger.get(taskId)
    const { title, spec, workspace } = task
    if (workspace?.removal) refused('removed', `The workspace of "${title}" was removed.`)
    if (!runs.mayStillSpawn(taskId))
      refused('not-running', `"${title}" is not running: send it a follow-up instead.`)
    if (spec.kind === 'scripted')
      refused(
        'not-running',
        `"${title}" plays a script and reads no messages. Queue it as a follow-up of its root.`,
      )
    if (runner.isAttached(taskId))
      refused(
        'not-running',
        `"${title}" runs inside its parent's agent, which alone can send it messages. Send this to its parent.`,
      )
    refuseMore(task)
    const promptId = newPromptId()
    const said = await saidWith(taskId, text, checked, comments)
    await ledger.record({ type: 'task.prompted', taskId, promptId, ...said, atNextTurn: true })
    queued.add(promptId)
    if (task.parentId === null) startNextAfterRun(taskId)
    else void runs.ended(taskId).then(() => withdrawUndelivered(taskId))
  }

  /** A sub-agent that has completed gets no more messages (T4). */
  async function withdrawUndelivered(taskId: TaskId): Promise<void> {
    if (taskLedger.get(taskId).status !== 'completed') return
    for (const { id: promptId } of messagesFor(taskId)) {
      queued.delete(promptId)
      await ledger.record({ type: 'task.prompt-withdrawn', taskId, promptId })
    }
  }

  const waitingIn = ({ waitingPrompts = [] }: Task): WaitingPrompt[] =>
    waitingPrompts.filter(({ id }) => !beingWithdrawn.has(id))

  const messagesFor = (taskId: TaskId) =>
    waitingIn(taskLedger.get(taskId)).filter(({ atNextTurn }) => atNextTurn)

  async function deliver(
    taskId: TaskId,
    promptId: PromptId,
    recordInSession: () => Promise<void>,
  ): Promise<boolean> {
    if (!messagesFor(taskId).some(({ id }) => id === promptId)) return false
    beingDelivered.add(promptId)
    try {
      await recordInSession()
      queued.delete(promptId)
      await ledger.record({ type: 'task.prompt-delivered', taskId, promptId })
    } finally {
      beingDelivered.delete(promptId)
    }
    return true
  }

  function refuseMore({ title, waitingPrompts = [] }: Task): void {
    if (waitingPrompts.length < waitingPromptsMax) return
    refused(
      'running',
      `"${title}" already has ${waitingPrompts.length} waiting follow-ups. Discard one first.`,
    )
  }

  function beginWith(taskId: TaskId, { id, prompt, images }: Omit<WaitingPrompt, 'at'>): void {
    runner.begin(taskId, { prompt, images, reason: 'prompt', promptId: id })
    queued.delete(id)
    starting.set(taskId, id)
    startNextAfterRun(taskId)
  }

  function startNextAfterRun(taskId: TaskId): void {
    void runs.ended(taskId).then(() => startNext(taskId))
  }

  function startNext(taskId: TaskId): void {
    if (runs.isQueuedOrRunning(taskId)) return
    starting.delete(taskId)
    const task = taskLedger.get(taskId)
    const next = waitingIn(task).find(({ id }) => queued.has(id))
    if (next && task.status === 'completed' && isIdle(task)) beginWith(taskId, next)
  }

  async function startWaitingPrompt(taskId: TaskId): Promise<void> {
    await runner.flushDeferred(taskId)
    const task = taskLedger.get(taskId)
    refuseUnlessIdle(task)
    const [waiting] = waitingIn(task)
    if (task.status === 'queued') runner.begin(taskId, { prompt: task.prompt, reason: 'prompt' })
    else if (waiting) beginWith(taskId, waiting)
    else refused('not-running', `"${task.title}" has nothing waiting to start.`)
  }

  async function withdraw(taskId: TaskId, promptId: PromptId): Promise<void> {
    const task = taskLedger.get(taskId)
    const { title } = task
    if (!waitingIn(task).some(({ id }) => id === promptId))
      refused('not-running', `That follow-up is no longer waiting in "${title}".`)
    if (starting.get(taskId) === promptId || beingDelivered.has(promptId))
      refused('running', `"${title}" is about to start it. Stop the agent first.`)
    beingWithdrawn.add(promptId)
    try {
      await ledger.record({ type: 'task.prompt-withdrawn', taskId, promptId })
      queued.delete(promptId)
    } finally {
      beingWithdrawn.delete(promptId)
    }
  }

  function isIdle(task: Task): boolean {
    return !task.workspace?.removal && !isReserved(task.id) && !!transitionFor(task, 'task.spawned')
  }

  function refuseUnlessRoot({ title, parentId, workspace }: Task): void {
    if (parentId !== null) {
      refused(
        'not-running',
        `"${title}" is a sub-agent, and only its parent gives it work. Follow up on its root.`,
      )
    }
    if (workspace?.removal) refused('removed', `The workspace of "${title}" was removed.`)
  }

  function refuseUnlessIdle(task: Task): void {
    const { id, title, status } = task
    refuseUnlessRoot(task)
    if (isReserved(id)) refused('running', `"${title}" is running. Wait for it, or stop it first.`)
    if (!transitionFor(task, 'task.spawned'))
      refused('not-running', `"${title}" is ${status}: start a new agent instead.`)
  }

  return { prompt, steer, messagesFor, deliver, startWaitingPrompt, withdraw }
}
