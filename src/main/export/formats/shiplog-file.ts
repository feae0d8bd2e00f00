/** The lines of an export in Shiplog's own format that are no records of a journal. See ../FORMAT.md. */
import { z } from 'zod'
import { partialMessageSchema } from '../../../shared/records/entry-types/messages.ts'
import { exportedTaskSchema } from '../../../shared/records/exported-tasks.ts'
import { taskIdSchema } from '../../../shared/records/ids.ts'

export const exportVersion = 1

/** Bytes of a file in one line, so that lines stay short. */
export const blobPartBytes = 192 << 10

/** How an export in JSONL begins; in JSON the same with a space or line break in between. */
export const exportOpening = '{"shiplog":"export"'

const count = z.number().int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const piece = { bytes: count, offset: count, data: z.base64() }

export const exportHeaderSchema = z.object({
  shiplog: z.literal('export'),
  version: z.literal(exportVersion),
  /** The version of Shiplog that wrote it. */
  app: z.string(),
  at: z.iso.datetime(),
  root: taskIdSchema,
  children: z.enum(['inline', 'summary', 'none']),
  redacted: z.boolean(),
  files: z.boolean(),
  range: z.object({ fromSeq: count.nullable(), throughSeq: count.nullable() }).nullable(),
})
export type ExportHeader = z.infer<typeof exportHeaderSchema>

export const exportLineSchema = z.discriminatedUnion('shiplog', [
  /** What follows belongs to it, until `task-end`. A parent comes before its sub-agents. */
  z.object({ shiplog: z.literal('task'), task: exportedTaskSchema, transcript: z.boolean() }),
  z.object({
    shiplog: z.literal('report'),
    run: z.number().int().min(1),
    title: z.string(),
    markdown: z.string(),
    createdAt: z.iso.datetime(),
    taskResults: z.json().optional(),
  }),
  /** What may be read of the withheld record before it: not covered by its checksum. */
  z.object({
    shiplog: z.literal('redacted'),
    seq: z.number().int().min(1),
    record: z.record(z.string(), z.json()),
  }),
  z.object({ shiplog: z.literal('blob'), sha256, ...piece }),
  z.object({ shiplog: z.literal('file'), name: z.string().max(200), ...piece }),
  z.object({ shiplog: z.literal('partial'), message: partialMessageSchema }),
  z.object({
    shiplog: z.literal('task-end'),
    task: taskIdSchema,
    records: count,
    withheld: count,
    unreadable: count,
  }),
  /** `sha256`: of all bytes before this line. */
  z.object({ shiplog: z.literal('end'), tasks: count, sha256: sha256.optional() }),
])
export type ExportLine = z.infer<typeof exportLineSchema>
