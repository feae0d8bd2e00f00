/** Finds the authors of reviewed changes from the files of every turn, and manages comments on them. */
import { z } from 'zod'
import { commentIdSchema, idTextSchema, taskIdSchema } from '../../records/ids.ts'
import {
  commentAnchorSchema,
  commentTextSchema,
  commentPathCharsMax as pathCharsMax,
} from '../../records/review-comments.ts'
import { base } from '../base.ts'

/** More than anybody comments in one file. */
const anchorsMax = 200

const count = z.number().int().min(0)

const changeAuthorSchema = z.object({
  /**
   * `call`: one tool call of an agent. `turn`: a turn, and no single call of it. `outside`: between turns, a person or
   * another program. `unknown`: no recorded state of the files shows it.
   */
  by: z.enum(['call', 'turn', 'outside', 'unknown']),
  /** The turn before an `outside` change; null: before the first one, or unknown. */
  turn: z.number().int().min(1).nullable(),
  /** The entry to open: the call, else the end of the turn. */
  seq: z.number().int().min(1).nullable(),
  /** When the files had the change, in milliseconds. */
  at: z.number().nullable(),
  /** The tool of a call. */
  tool: z.string().nullable(),
  /** The sub-agent whose changes the call applied. */
  applied: z.object({ taskId: taskIdSchema, title: z.string() }).nullable(),
})
export type ChangeAuthor = z.infer<typeof changeAuthorSchema>

/** Neighbouring lines, from 1, with an index into `authors`. */
const authoredLinesSchema = z.object({
  start: z.number().int().min(1),
  lines: z.number().int().min(1),
  author: count,
})
export type AuthoredLines = z.infer<typeof authoredLinesSchema>

const fileAuthorsSchema = z.object({
  authors: z.array(changeAuthorSchema),
  /** Added lines by their numbers in the changed file, and removed ones by those in the old file; ascending. */
  written: z.array(authoredLinesSchema),
  removed: z.array(authoredLinesSchema),
  /**
   * What became of each anchor; null: the content that it is in was not recorded. `line`: where it, or what replaced it,
   * is in the changed file; null: it is gone. `author`: who changed it first; null: it is the same.
   */
  anchors: z.array(
    z.object({ line: z.number().int().min(1).nullable(), author: count.nullable() }).nullable(),
  ),
})
export type FileAuthors = z.infer<typeof fileAuthorsSchema>

export const review = {
  /** Nothing is found for a binary file, or one over 1 MB. */
  authors: base
    .input(
      z.object({
        workspaceId: idTextSchema,
        path: z.string().min(1).max(pathCharsMax),
        /** Before a rename. */
        oldPath: z.string().max(pathCharsMax).nullable().default(null),
        /** Lines, from 1, of contents that the file had (`WorkspaceDiff.files[].contentId`). */
        anchors: z
          .array(z.object({ contentId: z.string(), line: z.number().int().min(1) }))
          .max(anchorsMax)
          .default([]),
      }),
    )
    .output(fileAuthorsSchema),
  /** A draft on changes; it is in `Task.reviewComments` of every ledger feed. INVALID: too many. */
  comment: base
    .input(
      z.object({ taskId: idTextSchema, ...commentAnchorSchema.shape, text: commentTextSchema }),
    )
    .output(z.object({ commentId: commentIdSchema })),
  /** REFUSED: it was sent. */
  changeComment: base
    .input(z.object({ taskId: idTextSchema, commentId: commentIdSchema, text: commentTextSchema }))
    .output(z.object({})),
  /** REFUSED: it was sent. */
  removeComment: base
    .input(z.object({ taskId: idTextSchema, commentId: commentIdSchema }))
    .output(z.object({})),
  /**
   * Sends all drafts as one follow-up: to the agent, or to the root of a sub-agent that has ended. REFUSED where there
   * are none, and where no follow-up is possible.
   */
  sendComments: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ sent: count, to: taskIdSchema })),
}
