/**
 * Comments of a user on the changes of a task. They are events of the ledger, so every window shows them, and they
 * outlive the workspace. One follow-up sends all drafts to the agent; the same event marks them as sent.
 */

import { reviewPrompt } from '../../../shared/agents/review-prompt.ts'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { FailureError, invalid, refused } from '../../../shared/failure.ts'
import { commentsRecipient } from '../../../shared/projections/ledger/comments-recipient.ts'
import { type CommentId, newCommentId, type TaskId } from '../../../shared/records/ids.ts'
import {
  type CommentAnchor,
  type ReviewComment,
  reviewCommentsMax,
} from '../../../shared/records/review-comments.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { FollowUps } from './follow-ups.ts'

export interface ReviewComments {
  /** Durable when it resolves. Throws FailureError. */
  add(taskId: TaskId, comment: CommentAnchor & { text: string }): Promise<CommentId>
  /** Changes a draft. Throws FailureError for one that was sent. */
  change(taskId: TaskId, id: CommentId, text: string): Promise<void>
  /** Removes a draft. Throws FailureError for one that was sent. */
  remove(taskId: TaskId, id: CommentId): Promise<void>
  /** Sends all drafts as one follow-up; resolves with how many, and who gets it. Throws FailureError. */
  send(taskId: TaskId): Promise<{ sent: number; to: TaskId }>
}

export function createReviewComments(deps: {
  ledger: Ledger
  taskLedger: TaskLedger
  followUps: Pick<FollowUps, 'prompt' | 'steer'>
  /** Resolves with the seq of a transcript's last entry; 0 if it has none. */
  lastSeq: (taskId: TaskId) => Promise<number>
}): ReviewComments {
  const { ledger, taskLedger } = deps
  /** Two windows must not send the same drafts twice, or change one while it is sent. */
  const oneAtATime = createKeyedMutex()
  const of = (taskId: TaskId): ReviewComment[] => taskLedger.get(taskId).reviewComments ?? []

  function draft(taskId: TaskId, id: CommentId): void {
    const found = of(taskId).find((one) => one.id === id)
    if (!found) throw new FailureError({ kind: 'not-found', what: 'comment', id })
    if (found.sent) refused('completed', 'The comment was sent, and stays as it is. Add another.')
  }

  async function send(taskId: TaskId): Promise<{ sent: number; to: TaskId }> {
    const task = taskLedger.get(taskId)
    const drafts = of(taskId).filter(({ sent }) => sent === null)
    if (drafts.length === 0) refused('not-running', `"${task.title}" has no comments to send.`)
    const { to, atNextTurn } = commentsRecipient(task, ledger.state.tasks)
    const afterSeq = await deps.lastSeq(to.id)
    const comments = { of: taskId, ids: drafts.map(({ id }) => id), afterSeq }
    const prompt = reviewPrompt(drafts, to.id === taskId ? undefined : task.title)
    if (atNextTurn) await deps.followUps.steer(to.id, prompt, { comments })
    else await deps.followUps.prompt(to.id, prompt, { comments })
    return { sent: drafts.length, to: to.id }
  }

  return {
    add: (taskId, comment) =>
      oneAtATime(taskId, async () => {
        if (of(taskId).length >= reviewCommentsMax)
          return invalid(
            'text',
            `There are ${reviewCommentsMax} comments on these changes. Send a prompt instead.`,
          )
        const commentId = newCommentId()
        await ledger.record({ type: 'review.commented', taskId, commentId, ...comment })
        return commentId
      }),
    change: (taskId, commentId, text) =>
      oneAtATime(taskId, async () => {
        draft(taskId, commentId)
        await ledger.record({ type: 'review.comment-changed', taskId, commentId, text })
      }),
    remove: (taskId, commentId) =>
      oneAtATime(taskId, async () => {
        draft(taskId, commentId)
        await ledger.record({ type: 'review.comment-removed', taskId, commentId })
      }),
    send: (taskId) => oneAtATime(taskId, () => send(taskId)),
  }
}
