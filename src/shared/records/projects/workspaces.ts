/** Workspaces: the directories that agents work in, and the steps of their removal (R). */

import { z } from 'zod'
import { isoDateTime } from '../date-time.ts'
import { projectIdSchema, taskIdSchema } from '../ids.ts'

export const isolationSchema = z.enum(['worktree', 'in-place'])
export type Isolation = z.infer<typeof isolationSchema>

/** The steps of a removal, in order (R1). Each is durable in the ledger before the next starts. */
export const removalSteps = [
  'started',
  'runs-stopped',
  'totals-recorded',
  'patch-saved',
  'artifacts-rolled-up',
  'transcript-moved',
  'archived',
  'worktree-removed',
  'removed',
] as const

export const removalStepSchema = z.enum(removalSteps)
export type RemovalStep = z.infer<typeof removalStepSchema>

/** A removal that could not continue: `step` failed with `error`, or waits for the removal of `heldBy`, a task below. */
export const pendingRemovalSchema = z.object({
  step: removalStepSchema,
  error: z.string(),
  heldBy: taskIdSchema.optional(),
})
export type PendingRemoval = z.infer<typeof pendingRemovalSchema>

/** A workspace has the id of its task. */
export const workspaceSchema = z.object({
  id: taskIdSchema,
  kind: z.enum(['root', 'task']),
  projectId: projectIdSchema,
  parentId: taskIdSchema.nullable(),
  isolation: isolationSchema,
  /** Absolute path of the working directory. */
  path: z.string(),
  branch: z.string().nullable(),
  /** The commit that the worktree was created from; null when in place or outside Git. */
  baseCommit: z.string().nullable(),
  /** The branch that the worktree was created from: of the project for a root, else of the parent. */
  baseBranch: z.string().nullable(),
  /** The last step done; null while the workspace is in use. */
  removal: removalStepSchema.nullable(),
  /** The step that failed; the next start retries it (R5). */
  pending: pendingRemovalSchema.nullable(),
  /** A restore has started and not ended. */
  restoring: z.boolean(),
  createdAt: isoDateTime,
})
export type Workspace = z.infer<typeof workspaceSchema>

/** Files of a removed worktree that no patch contains (R3). */
export const leftoversFields = {
  /** The name of their folder in the trash. */
  name: z.string(),
  files: z.number().int().min(0),
  bytes: z.number().int().min(0),
  /** Deleted folders that a tool recreates, such as installed packages. Long lists are cut. */
  recreatable: z.array(z.object({ path: z.string(), madeBy: z.string() })),
  /** The commit that its removal saved, and that they were compared with; absent if nothing was compared. */
  commit: z.string().optional(),
}

export const leftoversSchema = z.object({ ...leftoversFields, at: isoDateTime })

/**
 * The removal has started and is not held up. Lists hide the task from this moment, however long its archiving takes
 * (R5), and show it again if the removal is held up.
 */
export const isBeingRemoved = ({ workspace }: { workspace: Workspace | null }): boolean =>
  workspace !== null && workspace.removal !== null && workspace.pending === null

/** From this step on the folder may be gone, and the saved patch is the final one. */
export const isPatchSaved = (workspace: Workspace | null): boolean =>
  workspace !== null &&
  workspace.removal !== null &&
  removalSteps.indexOf(workspace.removal) >= removalSteps.indexOf('patch-saved')
