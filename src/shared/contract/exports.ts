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
/** More values than a user unmasks by hand. */
const keptHitsMax = 1_000

const exportRequestSchema = z.object({
  taskId: idTextSchema,
  format: exportFormatSchema,
  /** `inline`: sub-agents in full. `summary`: only their reports. */
  children: z.enum(exportChildren).default('inline'),
  /** Only these entries of the task itself, inclusive. A turn extends from its first call to its message. */
  fromSeq: seq.optional(),
  throughSeq: seq.optional(),
  /** Turns instead of entries, with the prompts before the first one. INVALID if there is no such turn. */
  fromTurn: seq.optional(),
  throughTurn: seq.optional(),
  /** `bounded`: the beginning and end of a long output. Shiplog's own formats always contain all of it. */
  outputs: z.enum(['bounded', 'whole']).default('bounded'),
  /** False: nothing is masked. */
  redact: z.boolean().default(true),
  /** Ids of hits that are not masked. */
  keep: z.array(z.string().max(64)).max(keptHitsMax).default([]),
  /** Includes the contents of files before and after changes, and patches, which are never masked. */
  files: z.boolean().default(false),
  /** Only for OTLP: includes prompts, messages, inputs and outputs, which its conventions make optional. */
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
  /** The replacement text. */
  mark: z.string(),
  /** The value; cut if it is long. */
  match: z.string(),
  kept: z.boolean(),
  /** The number of occurrences. */
  count,
  /** The first occurrences, with the text around them. */
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
  /** The number of masked occurrences. */
  masked: count,
  /** The number of omitted entries: of unknown types, or data private to agents. */
  withheld: count,
  /** The number of images, which are not searched for secrets. */
  images: count,
  /** The number of spans of the transcripts that can't be read. */
  damaged: count,
}
const exportResultSchema = z.object(exportResultFields)
export type ExportResult = z.infer<typeof exportResultSchema>

const exportPreviewSchema = z.object({
  ...exportResultFields,
  /** A proposed file name, without a folder. */
  fileName: z.string(),
  /** Most frequent first. */
  hits: z.array(redactionHitSchema),
  /** The number of occurrences of further values, which are masked but not listed. */
  moreHits: count,
})
export type ExportPreview = z.infer<typeof exportPreviewSchema>

export const exports = {
  /** Runs the export without its text, and returns its size and the values that would be masked. */
  preview: base.input(exportRequestSchema).output(exportPreviewSchema),
  /** Yields the text in pieces, then the result. Fails if anything can't be read. */
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
