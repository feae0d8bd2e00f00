/** Entries about the working directory: its worktree, and the files that agents and others changed. */

import { z } from 'zod'
import { entryIdSchema, runIdSchema, taskIdSchema, toolCallIdSchema } from '../ids.ts'
import { entryBase, gitObjectId, turn } from './base.ts'

export const worktreeStateEntrySchema = entryBase.extend({
  type: z.literal('worktree-state'),
  /** Null: the worktree was left. */
  worktreeSession: z
    .object({ originalCwd: z.string(), worktreePath: z.string(), worktreeBranch: z.string() })
    .nullable(),
  /** Absent in older records. */
  sessionId: taskIdSchema.optional(),
})

const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable()

export const fileHistorySnapshotEntrySchema = entryBase.extend({
  type: z.literal('file-history-snapshot'),
  messageUuid: entryIdSchema,
  callId: toolCallIdSchema,
  /** Relative to the working directory, `/` as separator. */
  path: z.string(),
  /** The SHA-256 of the content in hex, which is its name in `file-history/`. Null: there was no file. */
  before: contentHash,
  after: contentHash,
})

export const attributionSnapshotEntrySchema = entryBase.extend({
  type: z.literal('attribution-snapshot'),
  messageUuid: entryIdSchema,
  /** By path: how many characters (UTF-16 units) of the file the agent and others wrote. */
  files: z.record(
    z.string(),
    z.object({
      agentChars: z.number(),
      otherChars: z.number(),
      /** The hash of the content that was counted; null: the file is gone. Absent in older records. */
      sha256: contentHash.optional(),
      /** The lengths of alternating stretches of the agent and others, the agent's first. Absent if there are too many. */
      authors: z.array(z.number().int().min(0)).optional(),
    }),
  ),
})

const notStoredSchema = z.object({
  path: z.string(),
  why: z.enum([
    'repository',
    'file-bytes',
    'folder-bytes',
    'folder-files',
    'unreadable',
    'special',
    'name',
    'path-length',
  ]),
  /** Null if they were not counted. */
  bytes: z.number().int().min(0).nullable(),
})

/** A path whose content is not in a tree, and why. */
export const notStoredPathsSchema = z.array(notStoredSchema)
export type NotStoredPath = z.infer<typeof notStoredSchema>

/** Larger untracked files are builds, dumps and downloads, not written by hand. */
export const untrackedFileBytesMax = 32 * 1024 * 1024
/** Limits for one untracked folder. */
export const untrackedFolderBytesMax = 256 * 1024 * 1024
export const untrackedFolderFilesMax = 20_000

/**
 * The state of the working directory in Git: before the first tool that may change it, after every turn with such a
 * tool, and at the end of the run. Drift is measured from the last one (S2).
 */
export const workspaceSnapshotEntrySchema = entryBase.extend({
  type: z.literal('workspace-snapshot'),
  runId: runIdSchema,
  /** The turn that it follows; null at the start and end of a run. */
  turn: turn.nullable(),
  /** Null before the first commit. */
  head: gitObjectId.nullable(),
  /** Null if HEAD is detached. */
  branch: z.string().nullable(),
  /** Uncommitted and untracked files included. */
  tree: gitObjectId,
  /** The paths that the run changed since the last snapshot: relative to the working directory, sorted, at most `snapshotPathsMax`. */
  changed: z.array(z.string()),
  /** How many more paths it changed. */
  changedMore: z.number().int().min(0),
  /**
   * Paths whose content is not in `tree`: repositories, untracked files and folders over a limit, what can't be read or
   * is no file, and names that Git refuses. At most `notStoredMax`.
   */
  notStored: notStoredPathsSchema.optional(),
})
export type WorkspaceSnapshotEntry = z.infer<typeof workspaceSnapshotEntrySchema>

/** Without a limit, an unpacked dependency tree makes an entry of megabytes. */
export const snapshotPathsMax = 1000

export const notStoredMax = 100

/** A snapshot could not be taken, so Git does not show what the turn changed. */
export const snapshotFailedEntrySchema = entryBase.extend({
  type: z.literal('snapshot-failed'),
  runId: runIdSchema,
  /** The turn that it would have followed; null: before or after a call, or at the start or end of a run. */
  turn: turn.nullable(),
  reason: z.string(),
})

/** The project's set-up command in a new worktree. */
export const setUpEntrySchema = entryBase.extend({
  type: z.literal('set-up'),
  command: z.string(),
  /** Files of the command that agents changed, so it was not run. Empty: it ran successfully. */
  changed: z.array(z.string()),
})
