/** A task as an export describes it, and as an import records it: without what concerns one machine only. */
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
    /** Among its siblings, and of its parent's other tasks: those that are in the export. */
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

/** What recorded a tree: a tool that it was imported from, or Shiplog, here. */
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
  /** As the file names the session; the task may have another id here. */
  originalId: z.string(),
  /** Something was masked or left out when it was exported. */
  redacted: z.boolean(),
  /** Contents of changed files were left out, so that their absence is no damage. */
  withoutFiles: z.boolean().optional(),
  /** The id of its first message: a session that continues in another file begins with a copy of it. */
  opening: z.string().optional(),
})
export type ImportSource = z.infer<typeof importSourceSchema>

/** As an import records it. */
export const importedTaskSchema = exportedTaskSchema.extend({
  hasTranscript: z.boolean(),
  transcriptCounts: transcriptCountsSchema.optional(),
})
export type ImportedTask = z.infer<typeof importedTaskSchema>
