/** The handlers of reviews. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const reviewHandlers = (
  { os, taskId }: Calls,
  { fileAuthors, tasks: { reviewComments: comments } }: RouterDependencies,
) => ({
  authors: os.review.authors.handler(({ input }) =>
    fileAuthors.authors(taskId(input.workspaceId, 'workspace'), input),
  ),
  comment: os.review.comment.handler(async ({ input: { taskId: id, ...comment } }) => ({
    commentId: await comments.add(taskId(id), comment),
  })),
  changeComment: os.review.changeComment.handler(async ({ input }) => {
    await comments.change(taskId(input.taskId), input.commentId, input.text)
    return {}
  }),
  removeComment: os.review.removeComment.handler(async ({ input }) => {
    await comments.remove(taskId(input.taskId), input.commentId)
    return {}
  }),
  sendComments: os.review.sendComments.handler(({ input }) => comments.send(taskId(input.taskId))),
})
