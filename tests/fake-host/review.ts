/** Who wrote what is reviewed, as it is given: there are no states of files. Unless given, every anchor is where it was. */

import { reviewPrompt } from '../../src/shared/agents/review-prompt.ts'
import { FailureError, refused } from '../../src/shared/failure.ts'
import { commentsRecipient } from '../../src/shared/projections/ledger/comments-recipient.ts'
import {
  type CommentId,
  newCommentId,
  newPromptId,
  type TaskId,
} from '../../src/shared/records/ids.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import type { Happenings } from './happenings.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export const reviewAnswers = (os: Implementer, memory: Memory, happenings: Happenings) => {
  const { given, state, record, find } = memory

  function draft(taskId: TaskId, id: CommentId): void {
    const found = find(taskId).reviewComments?.find((one) => one.id === id)
    if (!found) throw new FailureError({ kind: 'not-found', what: 'comment', id })
    if (found.sent) refused('completed', 'The comment was sent, and stays as it is. Add another.')
  }

  return {
    authors: os.review.authors.handler(({ input }) => {
      const found = given.authors?.(find(input.workspaceId, 'workspace').id, input.path)
      return {
        ...(found ?? { authors: [], written: [], removed: [] }),
        anchors: input.anchors.map(
          ({ line }) => found?.movedLines?.[line] ?? { line, author: null },
        ),
      }
    }),
    comment: os.review.comment.handler(({ input: { taskId: text, ...comment } }) => {
      const commentId = newCommentId()
      record({ type: 'review.commented', taskId: find(text).id, commentId, ...comment })
      return { commentId }
    }),
    changeComment: os.review.changeComment.handler(({ input: { commentId, text, ...of } }) => {
      const taskId = find(of.taskId).id
      draft(taskId, commentId)
      record({ type: 'review.comment-changed', taskId, commentId, text })
      return {}
    }),
    removeComment: os.review.removeComment.handler(({ input: { commentId, ...of } }) => {
      const taskId = find(of.taskId).id
      draft(taskId, commentId)
      record({ type: 'review.comment-removed', taskId, commentId })
      return {}
    }),
    sendComments: os.review.sendComments.handler(({ input }) => {
      const task = find(input.taskId)
      const drafts = (task.reviewComments ?? []).filter(({ sent }) => sent === null)
      if (drafts.length === 0) refused('not-running', `"${task.title}" has no comments to send.`)
      const { to, atNextTurn } = commentsRecipient(task, state.tasks)
      if (to.workspace?.removal) refused('removed', `The workspace of "${to.title}" was removed.`)
      const prompt = reviewPrompt(drafts, to.id === task.id ? undefined : task.title)
      const comments = { of: task.id, ids: drafts.map(({ id }) => id), afterSeq: 0 }
      const prompted = { type: 'task.prompted', taskId: to.id, promptId: newPromptId() } as const
      record({ ...prompted, prompt, comments, ...(atNextTurn && { atNextTurn: true }) })
      if (!isRunning(to.status)) happenings.begin(to.id, 'onGoOn')
      return { sent: drafts.length, to: to.id }
    }),
  }
}
