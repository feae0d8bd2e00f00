/** Events of workspaces, and of updates of a user's files. */
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
    /** Relative to the data directory if it is in it, else absolute. */
    path: z.string(),
    branch: z.string().nullable(),
    baseCommit: z.string().nullable(),
    baseBranch: z.string().nullable(),
  }),
  /**
   * Files of a folder are about to be written for this task. The replaced and the new contents are durable under
   * `commit`; the next start after a crash completes the update or rolls it back.
   */
  z.object({
    type: z.literal('files.update-started'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
    reason: fileUpdateReasonSchema,
    /** The apply that is undone. */
    undoes: updateIdSchema.optional(),
    /** True if only selected changes are applied, or such an apply is undone. */
    partial: z.boolean().optional(),
    /** The folder as given, and the top level of its working tree; stored like the path of `workspace.created`. */
    dir: z.string(),
    root: z.string(),
    commit: z.string(),
    /** The number of changed files; a renamed one counts once. */
    files: z.number().int().min(0),
  }),
  z.object({
    type: z.literal('files.updated'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
  }),
  /** The files were restored, except for `left`, whose content is neither the old nor the new one. */
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
   * The rest of its worktree, without the files in the saved commit, is in the trash (R3). Not recorded if there is no
   * rest.
   */
  z.object({
    type: z.literal('workspace.leftovers-kept'),
    workspaceId: taskIdSchema,
    ...leftoversFields,
  }),
  /** A removed root is being restored from the archive (R6); after a crash the next start completes it. */
  z.object({ type: z.literal('workspace.restore-started'), workspaceId: taskIdSchema }),
  z.object({
    type: z.literal('workspace.restored'),
    workspaceId: taskIdSchema,
    branch: z.string().nullable(),
  }),
  /** It could not be restored, and is still in the archive. */
  z.object({ type: z.literal('workspace.restore-failed'), workspaceId: taskIdSchema }),
  /** A removed root, with the tasks below it, was moved to the trash, or restored from it. */
  z.object({ type: z.literal('workspace.trashed'), workspaceId: taskIdSchema }),
  z.object({ type: z.literal('workspace.untrashed'), workspaceId: taskIdSchema }),
  /** It was permanently deleted from the trash, with the tasks below it. */
  z.object({
    type: z.literal('workspace.purged'),
    workspaceId: taskIdSchema,
    receiptId: receiptIdSchema,
  }),
] as const
