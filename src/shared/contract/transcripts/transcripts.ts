/**
 * Reads the record of a task, root or sub-agent, wherever it is stored: live, archived, rolled up into an ancestor, or
 * not yet rolled up. Every answer is bounded in bytes. NOT_FOUND, OUT_OF_SCOPE and DAMAGED are always distinguished
 * (A5).
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
/** With a requesting workspace, only its descendants can be read. */
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
    /** Calls that failed, or whose outcome is unknown. */
    failedCalls: z.number().int().min(0),
    /** `superseded`: it was retried. */
    status: z.enum(['complete', 'interrupted', 'superseded']),
    /** The beginning of its text; may be empty. */
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
  /** The state is that after this entry; 0: before the first. */
  seq: z.number().int().min(0),
  /** When the entry was written, in milliseconds; null before the first. */
  at: z.number().nullable(),
  /** The directory of the shell. */
  directory: z.string().nullable(),
  /** Null outside Git, and with a detached HEAD. */
  branch: z.string().nullable(),
  /** The model that answered last. */
  model: z.string().nullable(),
  /** The usage of all runs so far. */
  usage: usageSchema,
  /** The last run that had started; 0: none. */
  run: z.number().int().min(0),
  /** The number of turns that had started. */
  turns: z.number().int().min(0),
})
export type TranscriptState = z.infer<typeof transcriptStateSchema>

export const transcripts = {
  /**
   * Reads entries in file order. `at`: the first ones, the last ones, from an entry on, those before an entry, or from
   * the start of a turn on (NOT_FOUND `turn`). With `previews`, every long text is a preview and listed in `values`;
   * otherwise only texts that would not fit into a page.
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
   * Lists prompts, turns and runs in file order, from the entry `fromSeq` on: at most `limit`, and fewer if they are far
   * apart. `nextSeq` is the start of the next page, null at the end.
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
   * Reads the marks of the entries from `fromSeq` on: about `limit`, and fewer if entries are long. The last page is the
   * one whose `nextSeq` is beyond `total`; a live transcript has more later.
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
  /** Returns the state after the entry `seq`. Earlier entries that can't be read are ignored. */
  stateAt: base
    .input(z.object({ ...subject, seq: z.number().int().min(0) }))
    .output(transcriptStateSchema),
  /**
   * Reads a part of a long text of the entry `seq`, which `values` of a page lists; if `at` is empty, of the JSON of
   * the whole entry.
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
   * Yields all matches of a text as they are found: first those from `nearSeq` on, then those from `fromSeq` up to it. At
   * most `limit` places are listed, and every match is counted. INVALID (field `query`) for an invalid regular
   * expression, and for one that takes too long. Text in progress is not searched.
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
   * Lists the entries that a filter selects in the whole transcript, with counts for other filters. Calls are selected
   * with their results.
   */
  filter: base
    .input(z.object({ ...subject, filter: transcriptFilterSchema }))
    .output(filterAnswerSchema),
  /** Reads single entries, in file order, as in a page; only the first ones if they are large. */
  entries: base
    .input(z.object({ ...subject, seqs: z.array(seq).min(1).max(filteredPageMax) }))
    .output(transcriptPageSchema.pick({ entries: true, values: true })),
  /** Reads an image of a prompt or of a tool's result, by the `sha256` in its entry. NOT_FOUND: no longer kept. */
  image: base
    .input(z.object({ ...subject, sha256: z.string() }))
    .output(z.object({ mediaType: z.string(), /** Base64. */ data: z.string() })),
}
