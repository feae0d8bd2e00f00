/** A task in an export and in an import: without machine-specific fields. */
import { z } from 'zod'
import { taskIdSchema } from './ids.ts'
import { runSchema } from './tasks/runs.ts'
import { taskSchema } from './tasks/tasks.ts'
import { transcriptCountsSchema } from './tasks/transcript-status.ts'

export const exportedTaskSchema = taskSchema
  .pick({
    id: true,
    parentId: true,
    title: true,
    agent: true,
    spec: true,
    isolation: true,
    status: true,
    prompt: true,
    images: true,
    createdAt: true,
    startedAt: true,
    endedAt: true,
    resumedFrom: true,
    hasReport: true,
    reportTitle: true,
    reportedRun: true,
    cause: true,
    model: true,
    usage: true,
    callId: true,
    reviewComments: true,
    spawnCommit: true,
    plan: true,
  })
  .extend({
    runs: z.array(runSchema.omit({ process: true, prompt: true, images: true })),
    /** Only tasks that are in the export. */
    dependsOn: z.array(taskIdSchema),
    /** Its project's name and folder where it was recorded. */
    project: z.object({ name: z.string(), dir: z.string() }),
    /** Null outside Git. */
    branch: z.string().nullable(),
  })
export type ExportedTask = z.infer<typeof exportedTaskSchema>

/** Tools whose logs can be imported. */
export const importToolSchema = z.enum(['claude-code', 'codex', 'atif', 'shiplog'])
export type ImportTool = z.infer<typeof importToolSchema>

/** The tool that a tree was imported from, or `here`: this Shiplog. */
export const recordSourceSchema = z.enum([...importToolSchema.options, 'here'])
export type RecordSource = z.infer<typeof recordSourceSchema>

/** The file that tasks were imported from (I4). */
export const importSourceSchema = z.object({
  tool: importToolSchema,
  /** The version of that tool that wrote it. */
  version: z.string(),
  /** Its name, without a folder. */
  file: z.string(),
  bytes: z.number().int().min(0),
  sha256: z.string(),
  /** The session's id in the file; the task's id may differ. */
  originalId: z.string(),
  /** True if the export masked or omitted something. */
  redacted: z.boolean(),
  /** Contents of changed files were left out, so that their absence is no damage. */
  withoutFiles: z.boolean().optional(),
  /** The id of its first message: a session that continues in another file begins with a copy of it. */
  opening: z.string().optional(),
})
export type ImportSource = z.infer<typeof importSourceSchema>

export const importedTaskSchema = exportedTaskSchema.extend({
  hasTranscript: z.boolean(),
  transcriptCounts: transcriptCountsSchema.optional(),
})
export type ImportedTask = z.infer<typeof importedTaskSchema>
