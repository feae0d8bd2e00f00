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
   * `call`: one tool call of an agent. `turn`: a turn, but the call is unknown. `outside`: a user or another program,
   * between turns. `unknown`: not in any recorded state of the files.
   */
  by: z.enum(['call', 'turn', 'outside', 'unknown']),
  /** The turn before an `outside` change; null: before the first one, or unknown. */
  turn: z.number().int().min(1).nullable(),
  /** The entry to open: the call, else the end of the turn. */
  seq: z.number().int().min(1).nullable(),
  /** The time of the first recorded state with the change, in milliseconds. */
  at: z.number().nullable(),
  /** The tool of a call. */
  tool: z.string().nullable(),
  /** The sub-agent whose changes the call applied; null: none. */
  applied: z.object({ taskId: taskIdSchema, title: z.string() }).nullable(),
  /** The task of the turn, if it is one that the reviewed task continues. */
  of: z.object({ taskId: taskIdSchema, title: z.string() }).optional(),
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
   * The current position of each anchor; null: its content was not recorded. `line`: the line in the changed file that
   * it is now, or that replaced it; null: it was removed. `author`: the first to change it; null: it is unchanged.
   */
  anchors: z.array(
    z.object({ line: z.number().int().min(1).nullable(), author: count.nullable() }).nullable(),
  ),
})
export type FileAuthors = z.infer<typeof fileAuthorsSchema>

export const review = {
  /** Returns no authors for a binary file, or one over 1 MB. */
  authors: base
    .input(
      z.object({
        workspaceId: idTextSchema,
        path: z.string().min(1).max(pathCharsMax),
        /** The path before a rename. */
        oldPath: z.string().max(pathCharsMax).nullable().default(null),
        /** Lines, from 1, of contents that the file had (`WorkspaceDiff.files[].contentId`). */
        anchors: z
          .array(z.object({ contentId: z.string(), line: z.number().int().min(1) }))
          .max(anchorsMax)
          .default([]),
      }),
    )
    .output(fileAuthorsSchema),
  /** Adds a draft comment; the ledger feeds have it in `Task.reviewComments`. INVALID: too many. */
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
   * Sends all drafts as one follow-up: to the agent, or to the root of a sub-agent that has ended. REFUSED if there
   * are none, or if no follow-up is possible.
   */
  sendComments: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ sent: count, to: taskIdSchema })),
}
