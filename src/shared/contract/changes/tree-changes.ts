/** Counts of the files that a task changed, together with the tasks below it. */
import { z } from 'zod'

const count = z.number().int().min(0)

/**
 * Why more may have changed than is counted. `running`: sub-agents that still run are counted when they end.
 * `commands`: a transcript does not tell which files its commands changed, or how many lines of them. `unreadable`: the
 * changes of an agent could not be read. `too-many`: there are more agents or files than are counted.
 */
const changesGapSchema = z.enum(['running', 'commands', 'unreadable', 'too-many'])
export type ChangesGap = z.infer<typeof changesGapSchema>

export const treeChangesSchema = z.object({
  files: count,
  /** Lines of the files that are not binary. */
  additions: count,
  deletions: count,
  binary: count,
  /** True if some are counted from the edits in a transcript, where a line that was edited twice counts twice. */
  reported: z.boolean(),
  /** Empty: all of it is known. */
  unknown: z.array(changesGapSchema),
})
export type TreeChanges = z.infer<typeof treeChangesSchema>
