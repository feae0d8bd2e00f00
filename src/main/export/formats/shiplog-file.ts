/** The lines of an export in Shiplog's own format other than journal records. See ../FORMAT.md. */
import { z } from 'zod'
import { partialMessageSchema } from '../../../shared/records/entry-types/messages.ts'
import { exportedTaskSchema } from '../../../shared/records/exported-tasks.ts'
import { taskIdSchema } from '../../../shared/records/ids.ts'

export const exportVersion = 1

/** Bytes of a file in one line, so that lines stay short. */
export const blobPartBytes = 192 << 10

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
  /** The following lines, up to `task-end`, belong to this task. A parent precedes its sub-agents. */
  z.object({ shiplog: z.literal('task'), task: exportedTaskSchema, transcript: z.boolean() }),
  z.object({
    shiplog: z.literal('report'),
    run: z.number().int().min(1),
    title: z.string(),
    markdown: z.string(),
    createdAt: z.iso.datetime(),
    taskResults: z.json().optional(),
  }),
  /** The redacted copy of the preceding withheld record, which its checksum does not cover. */
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
