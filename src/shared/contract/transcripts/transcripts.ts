/**
 * What is recorded of a task, a root or a sub-agent, wherever it is: live, archived, rolled up into an ancestor, or
 * not yet rolled up. Every answer is bounded in bytes. Throughout, NOT_FOUND, OUT_OF_SCOPE and DAMAGED are three
 * different answers (A5).
 */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { idTextSchema, taskIdSchema } from '../../records/ids.ts'
import { usageSchema } from '../../records/usage.ts'
import { base } from '../base.ts'
import {
  textPartQuery,
  textPartSchema,
  transcriptPageEntriesMax,
  transcriptPageSchema,
} from '../workspace.ts'
import { filterAnswerSchema, filteredPageMax, transcriptFilterSchema } from './filter.ts'
import { findEventSchema, findPlacesMax, findQuerySchema } from './find.ts'
import { timelinePageMarksMax, timelinePageSchema } from './timeline.ts'

const seq = z.number().int().min(1)
/** A call that names a requesting workspace sees only what is below that. */
const subject = { taskId: idTextSchema, requestingWorkspaceId: taskIdSchema.optional() }

/** Limit for the text of a prompt or a turn in the outline: a line of a list. */
export const outlineTextCharsMax = 200

const outlineItemSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), seq, at: z.number(), text: z.string() }),
  z.object({
    kind: z.literal('turn'),
    /** The seq of its message, or of its first call if the message was never written. */
    seq,
    at: z.number(),
    turn: z.number().int().min(1),
    /** Tool calls. */
    calls: z.number().int().min(0),
    /** Those that failed, or whose outcome is unknown. */
    failedCalls: z.number().int().min(0),
    /** `superseded`: another try has taken its place. */
    status: z.enum(['complete', 'interrupted', 'superseded']),
    /** How it begins; empty when it said nothing. */
    text: z.string(),
  }),
  z.object({
    kind: z.literal('run'),
    seq,
    at: z.number(),
    run: z.number().int().min(1),
    reason: z.enum(['prompt', 'resume', 'retry']),
  }),
  z.object({
    kind: z.literal('run-end'),
    seq,
    at: z.number(),
    run: z.number().int().min(1),
    status: z.enum(['completed', 'interrupted', 'failed']),
  }),
])
export type OutlineItem = z.infer<typeof outlineItemSchema>

const transcriptStateSchema = z.object({
  /** The state is the one after this entry; 0: before the first. */
  seq: z.number().int().min(0),
  /** When that was written, in milliseconds; null before the first. */
  at: z.number().nullable(),
  /** Where the shell stood. */
  directory: z.string().nullable(),
  /** Null outside Git, and with a detached HEAD. */
  branch: z.string().nullable(),
  /** What answered last. */
  model: z.string().nullable(),
  /** Usage of all runs up to then. */
  usage: usageSchema,
  /** The last run that had begun; 0: none. */
  run: z.number().int().min(0),
  /** Turns that had begun. */
  turns: z.number().int().min(0),
})
export type TranscriptState = z.infer<typeof transcriptStateSchema>

export const transcripts = {
  /**
   * Entries in file order. `at`: the first ones, the last ones, from one on, those before one, or from the
   * beginning of a turn on (NOT_FOUND `turn`). With `previews`, every long text is a preview and listed in `values`;
   * without, only what would not fit into a page.
   */
  page: base
    .input(
      z.object({
        ...subject,
        at: z
          .union([
            z.enum(['start', 'end']),
            z.object({ seq }),
            z.object({ before: seq }),
            z.object({ turn: z.number().int().min(1) }),
          ])
          .default('start'),
        limit: z.number().int().min(1).max(transcriptPageEntriesMax).default(200),
        previews: z.boolean().default(true),
      }),
    )
    .output(transcriptPageSchema),
  /**
   * Prompts, turns and runs in file order, from the entry `fromSeq` on: at most `limit`, and fewer where they are far
   * apart. `nextSeq` is where the next page begins, null at the end.
   */
  outline: base
    .input(
      z.object({
        ...subject,
        fromSeq: seq.default(1),
        limit: z.number().int().min(1).max(500).default(200),
      }),
    )
    .output(z.object({ items: z.array(outlineItemSchema), nextSeq: seq.nullable() })),
  /**
   * The marks of the entries from `fromSeq` on: about `limit`, and fewer where entries are long. All is read once
   * `nextSeq` is beyond `total`; a live transcript has more later.
   */
  timeline: base
    .input(
      z.object({
        ...subject,
        fromSeq: seq.default(1),
        limit: z.number().int().min(1).max(timelinePageMarksMax).default(timelinePageMarksMax),
      }),
    )
    .output(timelinePageSchema),
  /** As of the entry `seq`, that one included; what can't be read of the entries before is left out of it. */
  stateAt: base
    .input(z.object({ ...subject, seq: z.number().int().min(0) }))
    .output(transcriptStateSchema),
  /**
   * A part of a long text of the entry `seq`, as `values` of a page names it; of a whole entry (`at` empty) its JSON.
   */
  value: base
    .input(
      z.object({
        ...subject,
        seq,
        at: z.array(z.union([z.string(), z.number().int()])),
        ...textPartQuery,
      }),
    )
    .output(textPartSchema),
  /**
   * All matches of a text in the transcript, as they are found: those from `nearSeq` on first, then those before it, from
   * `fromSeq` on. At most `limit` places are listed, and every match is counted. INVALID (field `query`) for text that
   * is no regular expression, and for an expression that takes too long. Text in progress is not searched.
   */
  find: base
    .input(
      z.object({
        ...subject,
        query: findQuerySchema,
        fromSeq: seq.default(1),
        nearSeq: seq.default(1),
        limit: z.number().int().min(1).max(findPlacesMax).default(findPlacesMax),
        snippets: z.boolean().default(false),
      }),
    )
    .output(eventIterator(findEventSchema)),
  /**
   * The entries that a filter selects, over the whole transcript, with counts for other filters. Calls are selected with
   * their results.
   */
  filter: base
    .input(z.object({ ...subject, filter: transcriptFilterSchema }))
    .output(filterAnswerSchema),
  /** Single entries, in file order, as in a page; fewer where they are large: the first ones. */
  entries: base
    .input(z.object({ ...subject, seqs: z.array(seq).min(1).max(filteredPageMax) }))
    .output(transcriptPageSchema.pick({ entries: true, values: true })),
  /** An image of a prompt or of a tool's result, by the `sha256` that its entry has. NOT_FOUND: it is not kept any more. */
  image: base
    .input(z.object({ ...subject, sha256: z.string() }))
    .output(z.object({ mediaType: z.string(), /** Base64. */ data: z.string() })),
}
