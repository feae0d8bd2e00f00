/** Comments of a user on the changes of a task: drafts until they are sent as one follow-up. */
import { z } from 'zod'
import { commentIdSchema, promptIdSchema, taskIdSchema } from './ids.ts'

/** Limit for one task, drafts and sent ones: every list of tasks carries them. */
export const reviewCommentsMax = 200
/** Limit for one comment: a longer one is a prompt. */
export const commentCharsMax = 10_000
/** Longer than any path. */
export const commentPathCharsMax = 4_096
/** Enough to find a line again; a line of minified code has more. */
export const commentLineCharsMax = 1_000

/** The place of a comment: a line of a file with that content, in the tree that was shown. */
export const commentAnchorSchema = z.object({
  path: z.string().min(1).max(commentPathCharsMax),
  /** `deletions`: a removed line. */
  side: z.enum(['additions', 'deletions']),
  /** From 1; 0: the whole file. */
  line: z.number().int().min(0),
  /** The tree of the changed files when they were shown (`WorkspaceDiff.tree`); null outside Git. */
  tree: z.string().max(100).nullable(),
  /** The content of the file at that time (`WorkspaceDiff.files[].contentId`). */
  contentId: z.string().max(200),
  /** The text of the line; empty for a whole file. */
  lineText: z.string().max(commentLineCharsMax),
})
export type CommentAnchor = z.infer<typeof commentAnchorSchema>

export const commentTextSchema = z.string().trim().min(1).max(commentCharsMax)

/** The follow-up that comments were sent with. */
const sentCommentSchema = z.object({
  promptId: promptIdSchema,
  /** Who got it: the task itself, or the root of a sub-agent that had ended. */
  to: taskIdSchema,
  /** The last entry of that transcript before it. */
  afterSeq: z.number().int().min(0),
  at: z.iso.datetime(),
})

export const reviewCommentSchema = commentAnchorSchema.extend({
  id: commentIdSchema,
  at: z.iso.datetime(),
  text: z.string(),
  /** Null: a draft. */
  sent: sentCommentSchema.nullable(),
})
export type ReviewComment = z.infer<typeof reviewCommentSchema>

/** With a `task.prompted`: the comments that its text consists of. */
export const sentCommentsSchema = z.object({
  /** The task whose changes they are about. */
  of: taskIdSchema,
  ids: z.array(commentIdSchema).min(1),
  afterSeq: z.number().int().min(0),
})
export type SentComments = z.infer<typeof sentCommentsSchema>

export const reviewEventSchemas = [
  z.object({
    type: z.literal('review.commented'),
    taskId: taskIdSchema,
    commentId: commentIdSchema,
    ...commentAnchorSchema.shape,
    text: z.string(),
  }),
  z.object({
    type: z.literal('review.comment-changed'),
    taskId: taskIdSchema,
    commentId: commentIdSchema,
    text: z.string(),
  }),
  z.object({
    type: z.literal('review.comment-removed'),
    taskId: taskIdSchema,
    commentId: commentIdSchema,
  }),
] as const
