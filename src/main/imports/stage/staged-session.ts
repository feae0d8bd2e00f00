/** The result of staging a session, and the schema of `import.json`, which is archived with it (I4). */
import { z } from 'zod'
import { importToolSchema } from '../../../shared/records/exported-tasks.ts'
import { taskIdSchema } from '../../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../../shared/records/tasks/transcript-status.ts'
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
  /** The tool's name of the session. */
  session: z.string(),
  /** The folder that the file names are relative to. */
  folder: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      /** Size of the decompressed content. */
      bytes: count,
      mtimeMs: z.number(),
      /** Hash of the decompressed content, in hex. */
      sha256: z.string(),
      /** Size on disk, if the tool compressed the file. */
      compressedBytes: count.optional(),
    }),
  ),
  /** Hash over the names and hashes of all files. */
  sha256: z.string(),
  importedAt: z.iso.datetime(),
  links: z.object({ linked: count, unlinked: count, orphaned: count, missing: count }),
  tasks: z.array(
    z.object({
      taskId: taskIdSchema,
      ...lineCountsSchema.shape,
      /** Edited files: absolute paths, and times in milliseconds since the epoch. */
      edited: z.array(z.object({ path: z.string(), atMs: z.number() })),
    }),
  ),
  /** The imported session that it continues from, up to `seq`. `copies`: the number of copied records. */
  continues: z.object({ taskId: taskIdSchema, seq: count, copies: count }).nullable(),
  /** Content was masked or withheld before the import. */
  redacted: z.boolean().optional(),
  /** An export of Shiplog without the contents of changed files. */
  withoutFiles: z.boolean().optional(),
  /** The first damaged lines. */
  damage: z.array(z.object({ file: z.string(), line: count, bytes: count, reason: z.string() })),
})
export type ImportRecord = z.infer<typeof importRecordSchema>

export const linksOf = ({
  links: { linked, unlinked, orphaned },
}: Pick<ImportRecord, 'links'>) => ({
  linked,
  unlinked,
  orphaned,
})

export const sumOf = (tasks: ImportRecord['tasks']) => ({
  lines: tasks.reduce((sum, one) => sum + one.lines, 0),
  mapped: tasks.reduce((sum, one) => sum + one.mapped, 0),
  foreign: tasks.reduce((sum, one) => sum + one.foreign, 0),
  damaged: tasks.reduce((sum, one) => sum + one.damaged, 0),
})

export interface StagedTask extends ReadTask {
  /** Whether its transcript has a folder, which may hold a message in progress only. */
  hasFolder: boolean
  hasPartial: boolean
  transcriptCounts: TranscriptCounts | null
  /** The last record of an exported journal, which identifies the transcript. */
  last?: { seq: number; sum: string }
}

export interface StagedSession {
  record: ImportRecord
  /** Parents come before their sub-agents. */
  tasks: StagedTask[]
}
