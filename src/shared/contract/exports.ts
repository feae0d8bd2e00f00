/** Exports tasks. */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { idTextSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

/** In the order in which they are offered. */
const exportFormats = [
  'md',
  'html',
  'jsonl',
  'json',
  'atif',
  'otlp',
  'agent-trace',
  'claude-code',
] as const
const exportFormatSchema = z.enum(exportFormats)
export type ExportFormat = z.infer<typeof exportFormatSchema>

const exportChildren = ['inline', 'summary', 'none'] as const
export type ExportChildren = (typeof exportChildren)[number]

const seq = z.number().int().min(1)
const count = z.number().int().min(0)
/** Decisions about single values that anybody makes by hand. */
const keptHitsMax = 1_000

const exportRequestSchema = z.object({
  taskId: idTextSchema,
  format: exportFormatSchema,
  /** Its sub-agents: whole, as their reports, or not at all. */
  children: z.enum(exportChildren).default('inline'),
  /** Only these entries of the task itself, both included. A turn counts from its first call to its message. */
  fromSeq: seq.optional(),
  throughSeq: seq.optional(),
  /** The same by turns, with the prompts before the first: instead of entries. INVALID if there is no such turn. */
  fromTurn: seq.optional(),
  throughTurn: seq.optional(),
  /** `bounded`: the beginning and end of a long output. The formats of Shiplog always have all of it. */
  outputs: z.enum(['bounded', 'whole']).default('bounded'),
  /** False: nothing is masked. */
  redact: z.boolean().default(true),
  /** Ids of hits that are not masked. */
  keep: z.array(z.string().max(64)).max(keptHitsMax).default([]),
  /** With contents of files before and after changes, and patches: these are never masked. */
  files: z.boolean().default(false),
  /** OTLP: prompts, messages, inputs and outputs as well; its conventions leave them out unless asked for. */
  content: z.boolean().default(false),
})
export type ExportRequest = z.infer<typeof exportRequestSchema>

const redactionKinds = ['private-key', 'credentials', 'named', 'key', 'home', 'user'] as const
const redactionKindSchema = z.enum(redactionKinds)
export type RedactionKind = z.infer<typeof redactionKindSchema>

const redactionHitSchema = z.object({
  /** Identifies the value, for `keep`; the same in every export. */
  id: z.string(),
  kind: redactionKindSchema,
  /** What takes its place. */
  mark: z.string(),
  /** The value; cut when it is long. */
  match: z.string(),
  kept: z.boolean(),
  /** How often it occurs. */
  count,
  /** The first of them, with what stands around it. */
  places: z.array(
    z.object({
      taskId: taskIdSchema,
      /** Null: in the task's title, prompt or report. */
      seq: seq.nullable(),
      before: z.string(),
      after: z.string(),
    }),
  ),
})
export type RedactionHit = z.infer<typeof redactionHitSchema>

const exportResultFields = {
  /** Size of the text in UTF-8. */
  bytes: count,
  tasks: count,
  entries: count,
  /** Places where something was masked. */
  masked: count,
  /** Entries of types that this version does not know, and what agents keep for themselves: left out. */
  withheld: count,
  /** Images are not searched for secrets. */
  images: count,
  /** Spans of the transcripts that can't be read. */
  damaged: count,
}
const exportResultSchema = z.object(exportResultFields)
export type ExportResult = z.infer<typeof exportResultSchema>

const exportPreviewSchema = z.object({
  ...exportResultFields,
  /** A name for the file, without a folder. */
  fileName: z.string(),
  /** Most frequent first. */
  hits: z.array(redactionHitSchema),
  /** Places of further values, which are masked and not listed. */
  moreHits: count,
})
export type ExportPreview = z.infer<typeof exportPreviewSchema>

export const exports = {
  /** Reads all that the export would hold, and returns its size and what would be masked in it. */
  preview: base.input(exportRequestSchema).output(exportPreviewSchema),
  /** The text in pieces, the last event being its result. It ends with an error when something can't be read. */
  read: base
    .input(exportRequestSchema)
    .output(
      eventIterator(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('text'), text: z.string() }),
          z.object({ type: z.literal('end'), ...exportResultFields }),
        ]),
      ),
    ),
}
