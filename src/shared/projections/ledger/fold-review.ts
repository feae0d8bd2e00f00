/** Folds comments on changes into the commented tasks. */
import type { PromptId } from '../../records/ids.ts'
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { ReviewComment } from '../../records/review-comments.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { LedgerState } from './ledger-state.ts'

type ReviewEvent = LedgerEventOf<
  'review.commented' | 'review.comment-changed' | 'review.comment-removed'
>

export function foldReview(task: Task, event: ReviewEvent, at: string): Partial<Task> {
  const known = task.reviewComments ?? []
  switch (event.type) {
    case 'review.commented': {
      const { type: _, taskId: __, commentId: id, ...comment } = event
      return { reviewComments: [...known, { ...comment, id, at, sent: null }] }
    }
    case 'review.comment-changed':
      return {
        reviewComments: known.map((one) =>
          one.id === event.commentId ? { ...one, text: event.text } : one,
        ),
      }
    case 'review.comment-removed': {
      const left = known.filter(({ id }) => id !== event.commentId)
      return { reviewComments: left.length > 0 ? left : undefined }
    }
  }
}

/** Marks the comments of a follow-up as sent. */
export function foldSentComments(
  state: LedgerState,
  event: LedgerEventOf<'task.prompted'>,
  at: string,
): void {
  const { comments, promptId, taskId: to } = event
  if (!comments) return
  const sent = { promptId, to, afterSeq: comments.afterSeq, at }
  changeComments(state, comments.of, (one) =>
    comments.ids.includes(one.id) ? { ...one, sent } : one,
  )
}

/** Makes the comments of a withdrawn follow-up drafts again. */
export function foldUnsentComments(
  state: LedgerState,
  { taskId, promptId }: LedgerEventOf<'task.prompt-withdrawn'>,
): void {
  const waiting = state.tasks.get(taskId)?.waitingPrompts?.find(({ id }) => id === promptId)
  if (!waiting?.commentsOf) return
  changeComments(state, waiting.commentsOf, (one) =>
    sentWith(one, promptId) ? { ...one, sent: null } : one,
  )
}

const sentWith = ({ sent }: ReviewComment, promptId: PromptId) => sent?.promptId === promptId

function changeComments(
  state: LedgerState,
  taskId: Task['id'],
  change: (comment: ReviewComment) => ReviewComment,
): void {
  const task = state.tasks.get(taskId)
  if (task?.reviewComments)
    state.tasks.set(taskId, { ...task, reviewComments: task.reviewComments.map(change) })
}
