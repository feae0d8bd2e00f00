/** The checks that an agent ran: tests, types, style, builds, and whether each still holds for what it delivered. */
import { z } from 'zod'
import { idTextSchema, taskIdSchema, toolCallIdSchema } from '../../records/ids.ts'
import { base } from '../base.ts'

export const checkKinds = ['tests', 'types', 'lint', 'build'] as const
const checkKindSchema = z.enum(checkKinds)
export type CheckKind = z.infer<typeof checkKindSchema>

const checkSchema = z.object({
  kind: checkKindSchema,
  /** As the agent wrote it, without what stands around it. */
  command: z.string(),
  /** The newest run of this command. */
  seq: z.number().int().min(1),
  callId: toolCallIdSchema,
  turn: z.number().int().min(1),
  /** When it ended, in milliseconds. */
  at: z.number(),
  durationMs: z.number(),
  /** By the exit code, else by the output; `unclear`: neither shows it. */
  outcome: z.enum(['passed', 'failed', 'unclear']),
  exitCode: z.number().int().nullable(),
  /** In the background: `running`: its end was never read. `killed`: a signal or its time limit ended it. */
  end: z.enum(['known', 'running', 'killed']),
  /** How often it ran. */
  times: z.number().int().min(1),
  /** `fresh`: on the files that were delivered. `stale`: files changed since. `unknown`: its files were not recorded. */
  state: z.enum(['fresh', 'stale', 'unknown']),
  /** Files that changed since, the first of them. */
  changed: z.array(z.string()),
  changedMore: z.number().int().min(0),
  /** The report names its call. */
  cited: z.boolean(),
})
export type Check = z.infer<typeof checkSchema>

const citedCallSchema = z.object({
  callId: toolCallIdSchema,
  seq: z.number().int().min(1),
  turn: z.number().int().min(1),
  name: z.string(),
  /** Its command, path or title; null: its input has none. */
  title: z.string().nullable(),
  outcome: z.enum(['ok', 'error', 'unknown']),
})
export type CitedCall = z.infer<typeof citedCallSchema>

const taskChecksSchema = z.object({
  /** The newest first. */
  checks: z.array(checkSchema),
  /** The calls whose ids the report names, in their order; then how many more. */
  cited: z.array(citedCallSchema),
  citedMore: z.number().int().min(0),
  /** Older commands that are not listed. */
  more: z.number().int().min(0),
  /** What the project could have checked, and no command did. */
  neverRan: z.array(z.object({ kind: checkKindSchema, command: z.string() })),
})
export type TaskChecks = z.infer<typeof taskChecksSchema>

export const checks = {
  /** Found in the commands of its transcript by rules, not by a model. */
  list: base
    .input(z.object({ taskId: idTextSchema, requestingWorkspaceId: taskIdSchema.optional() }))
    .output(taskChecksSchema),
}
