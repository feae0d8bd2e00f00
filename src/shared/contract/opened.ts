/** Logs that are opened without being imported: read-only, and nothing of them is stored. */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { importToolSchema } from '../records/exported-tasks.ts'
import { taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

const count = z.number().int().min(0)
const id = z.uuid()
const path = z.string().min(1).max(4_096)

const openedLogSchema = z.object({
  id,
  /** Absolute, on the machine that the host runs on. */
  path: z.string(),
  /** Its last part. */
  name: z.string(),
  /** The tools that wrote it, detected from its content; a folder may hold logs of several tools. */
  tools: z.array(importToolSchema).min(1),
  /** Its sessions, each a root. */
  sessions: z.array(z.object({ taskId: taskIdSchema, title: z.string() })).min(1),
  /** Sessions that could not be read. */
  skipped: z.array(z.object({ session: z.string(), reason: z.string() })),
})
export type OpenedLog = z.infer<typeof openedLogSchema>

/** Size of one piece of an uploaded file, before its encoding. */
export const uploadBytesMax = 1 << 20

export const opened = {
  /**
   * Reads the log at `path` (absolute) or of an upload like an import, but not into the archive. The tool is detected
   * from the content. Ending the iterator stops it. INVALID (field `path`) if it is not a readable log. If too many logs
   * are open, the least recently used one is closed.
   */
  open: base
    .input(z.union([z.object({ path }), z.object({ upload: id })]))
    .output(
      eventIterator(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('progress'), bytes: count, bytesTotal: count }),
          z.object({ type: z.literal('opened'), log: openedLogSchema }),
        ]),
      ),
    ),
  /** Null: it is no longer open. */
  get: base.input(z.object({ id })).output(z.object({ log: openedLogSchema.nullable() })),
  /**
   * Calls a procedure of this contract, by its path, on the opened log. REFUSED unless the procedure only reads.
   * NOT_FOUND if the log is no longer open.
   */
  call: base
    .input(
      z.object({
        id,
        path: z.array(z.string()).min(1).max(4),
        // The transport drops a key without a value, and many procedures take no input.
        input: z.unknown().optional(),
      }),
    )
    .output(z.unknown()),
  /**
   * Uploads a piece of a file that was dropped on a page and so has no path. The pieces of a file must be sent in order.
   * `name`: includes the dropped folders.
   */
  upload: base
    .input(
      z.object({
        upload: id,
        name: z.string().min(1).max(1_000),
        offset: count,
        data: z.base64().max(Math.ceil(uploadBytesMax / 3) * 4 + 4),
      }),
    )
    .output(z.object({})),
  close: base.input(z.object({ id })).output(z.object({})),
}
