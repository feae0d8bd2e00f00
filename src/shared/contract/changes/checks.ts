/** The checks that an agent ran (tests, types, style, builds), and whether each applies to the delivered files. */
import { z } from 'zod'
import { idTextSchema, taskIdSchema, toolCallIdSchema } from '../../records/ids.ts'
import { base } from '../base.ts'

export const checkKinds = ['tests', 'types', 'lint', 'build'] as const
const checkKindSchema = z.enum(checkKinds)
export type CheckKind = z.infer<typeof checkKindSchema>

const checkSchema = z.object({
  kind: checkKindSchema,
  /** As the agent wrote it, without the rest of its command line. */
  command: z.string(),
  /** The newest run of this command. */
  seq: z.number().int().min(1),
  callId: toolCallIdSchema,
  turn: z.number().int().min(1),
  /** When it ended, in milliseconds. */
  at: z.number(),
  durationMs: z.number(),
  /** From the exit code, else from the output; `unclear`: from neither. */
  outcome: z.enum(['passed', 'failed', 'unclear']),
  exitCode: z.number().int().nullable(),
  /** For a background command: `running`: its end was never read. `killed`: by a signal or its time limit. */
  end: z.enum(['known', 'running', 'killed']),
  /** The number of times it ran. */
  times: z.number().int().min(1),
  /** `fresh`: it ran on the delivered files. `stale`: files changed since. `unknown`: its files were not recorded. */
  state: z.enum(['fresh', 'stale', 'unknown']),
  /** The first files that changed since; `changedMore`: the number of others. */
  changed: z.array(z.string()),
  changedMore: z.number().int().min(0),
  /** True if the report refers to its call. */
  cited: z.boolean(),
})
export type Check = z.infer<typeof checkSchema>

const citedCallSchema = z.object({
  callId: toolCallIdSchema,
  seq: z.number().int().min(1),
  turn: z.number().int().min(1),
  name: z.string(),
  /** Its command, path or title; null if its input has none. */
  title: z.string().nullable(),
  outcome: z.enum(['ok', 'error', 'unknown']),
})
export type CitedCall = z.infer<typeof citedCallSchema>

const taskChecksSchema = z.object({
  /** The newest first. */
  checks: z.array(checkSchema),
  /** The calls whose ids are in the report, in that order; `citedMore`: the number of others. */
  cited: z.array(citedCallSchema),
  citedMore: z.number().int().min(0),
  /** The number of older commands that are not listed. */
  more: z.number().int().min(0),
  /** Checks that the project defines and that were not run. */
  neverRan: z.array(z.object({ kind: checkKindSchema, command: z.string() })),
})
export type TaskChecks = z.infer<typeof taskChecksSchema>

export const checks = {
  /** Finds the checks in the commands of the transcript by rules, without a model. */
  list: base
    .input(z.object({ taskId: idTextSchema, requestingWorkspaceId: taskIdSchema.optional() }))
    .output(taskChecksSchema),
}
