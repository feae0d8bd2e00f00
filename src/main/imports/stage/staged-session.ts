/** What the worker has made of a session, in a folder of its own, and `import.json`, which stays with it (I4). */
import { z } from 'zod'
import { importToolSchema } from '../../../shared/records/exported-tasks.ts'
import { taskIdSchema } from '../../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../../shared/records/tasks.ts'
import type { ReadTask } from '../adapters/adapter.ts'

export const importFile = 'import.json'

const count = z.number().int().min(0)

const lineCountsSchema = z.object({
  lines: count,
  mapped: count,
  foreign: count,
  damaged: count,
})

/** `import.json`, beside the transcript of the root. */
export const importRecordSchema = z.object({
  version: z.literal(1),
  tool: importToolSchema,
  /** The version of the tool. */
  toolVersion: z.string(),
  /** As the tool names the session. */
  session: z.string(),
  /** The folder of its files; their names are relative to it. */
  folder: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      bytes: count,
      mtimeMs: z.number(),
      /** Of these bytes, in hex. */
      sha256: z.string(),
    }),
  ),
  /** Of all files, by their names and hashes. */
  sha256: z.string(),
  importedAt: z.iso.datetime(),
  links: z.object({ linked: count, unlinked: count, orphaned: count, missing: count }),
  tasks: z.array(z.object({ taskId: taskIdSchema, ...lineCountsSchema.shape })),
  /** The first ones. */
  damage: z.array(z.object({ file: z.string(), line: count, bytes: count, reason: z.string() })),
})
export type ImportRecord = z.infer<typeof importRecordSchema>

export interface StagedTask extends ReadTask {
  /** The folder with its transcript, below that of the session; null: it has none. */
  dir: string | null
  transcriptCounts: TranscriptCounts | null
}

export interface StagedSession {
  record: Omit<ImportRecord, 'importedAt'>
  /** Parents come before their sub-agents. */
  tasks: StagedTask[]
}
