/** Events of workspaces, and of updates of a person's files. */
import { z } from 'zod'
import { receiptIdSchema, taskIdSchema, updateIdSchema } from '../ids.ts'
import { fileUpdateReasonSchema } from '../projects/file-updates.ts'
import {
  isolationSchema,
  leftoversFields,
  pendingRemovalSchema,
  removalStepSchema,
} from '../projects/workspaces.ts'

export const workspaceEventSchemas = [
  z.object({
    type: z.literal('workspace.created'),
    workspaceId: taskIdSchema,
    kind: z.enum(['root', 'task']),
    isolation: isolationSchema,
    /** Relative to the data directory when it is in there, else absolute. */
    path: z.string(),
    branch: z.string().nullable(),
    baseCommit: z.string().nullable(),
    baseBranch: z.string().nullable(),
  }),
  /**
   * Files of a folder are about to be written for this task. Everything that will be replaced, and everything
   * that will be written, is durable under `commit`; a crash from here on is settled at the next start.
   */
  z.object({
    type: z.literal('files.update-started'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
    reason: fileUpdateReasonSchema,
    /** The apply that is undone. */
    undoes: updateIdSchema.optional(),
    /** A chosen part of the changes was applied, or such an apply is undone. */
    partial: z.boolean().optional(),
    /** The folder as it was named, and the top level of its working tree; stored as `workspace.created` stores its path. */
    dir: z.string(),
    root: z.string(),
    commit: z.string(),
    /** How many files change; a renamed one counts once. */
    files: z.number().int().min(0),
  }),
  z.object({
    type: z.literal('files.updated'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
  }),
  /** The files are as before, except for `left`: their content is neither the old nor the new one, and was not touched. */
  z.object({
    type: z.literal('files.update-rolled-back'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
    left: z.array(z.string()),
  }),
  z.object({
    type: z.literal('workspace.removal-advanced'),
    workspaceId: taskIdSchema,
    step: removalStepSchema,
    /** The step that failed and is tried again at the next start (R5). */
    pending: pendingRemovalSchema.nullable(),
  }),
  /**
   * Its worktree is in the trash, less what the saved commit holds (R3). Nothing is recorded of one of which
   * nothing was left.
   */
  z.object({
    type: z.literal('workspace.leftovers-kept'),
    workspaceId: taskIdSchema,
    ...leftoversFields,
  }),
  /** A removed root is being restored from the archive (R6); a crash in between is ended at the next start. */
  z.object({ type: z.literal('workspace.restore-started'), workspaceId: taskIdSchema }),
  z.object({
    type: z.literal('workspace.restored'),
    workspaceId: taskIdSchema,
    branch: z.string().nullable(),
  }),
  /** It could not be brought back, and is in the archive as before. */
  z.object({ type: z.literal('workspace.restore-failed'), workspaceId: taskIdSchema }),
  /** A removed root, with everything below it, was moved to the trash, or restored from it. */
  z.object({ type: z.literal('workspace.trashed'), workspaceId: taskIdSchema }),
  z.object({ type: z.literal('workspace.untrashed'), workspaceId: taskIdSchema }),
  /** It was permanently deleted from the trash, with everything below it. */
  z.object({
    type: z.literal('workspace.purged'),
    workspaceId: taskIdSchema,
    receiptId: receiptIdSchema,
  }),
] as const
