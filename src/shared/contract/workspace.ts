import { z } from 'zod'
import { entrySchema } from '../records/entries.ts'
import { partialMessageSchema } from '../records/entry-types/messages.ts'
import { idTextSchema, projectIdSchema, taskIdSchema } from '../records/ids.ts'
import { leftoversSchema, pendingRemovalSchema } from '../records/projects/workspaces.ts'
import { taskStatusSchema } from '../records/tasks/task-status.ts'
import { resumedFromSchema } from '../records/tasks/tasks.ts'
import { expirySchema } from '../records/tasks/transcript-status.ts'
import { usageSchema } from '../records/usage.ts'
import { base } from './base.ts'
import { targetComparisonSchema } from './changes/changes.ts'
import { treeChangesSchema } from './changes/tree-changes.ts'

/** A damaged span of a journal. It is kept, reported and skipped (J4). */
export const damageSchema = z.object({
  file: z.string(),
  line: z.number().int().min(1),
  bytes: z.number().int().min(0),
  reason: z.string(),
})
export type Damage = z.infer<typeof damageSchema>

/** Limit for the entries of one page: a few screens. */
export const transcriptPageEntriesMax = 500
/** Limit for the JSON of a page's entries: small enough for one message. */
export const transcriptPageBytesMax = 1 << 20
/** Limit for the damaged spans that a page lists. */
export const pageDamageMax = 200

/** A text that is a preview in the entry; `transcripts.value` returns all of it. */
const longValueSchema = z.object({
  seq: z.number().int().min(1),
  /** The path in the entry; empty: the whole entry, which a stub replaces. */
  at: z.array(z.union([z.string(), z.number().int()])),
  /** Size of the whole value in UTF-8. */
  bytes: z.number().int().min(0),
})
export type LongValue = z.infer<typeof longValueSchema>

/** More than a user reads; another letter narrows the list. */
const foundFilesMax = 50
/** Longer than any path. */
const findQueryCharsMax = 4_096

/** Size of one part of a long text: a few screens, small enough for one message. */
export const textPartBytesMax = 256 * 1024

/** `offset`: the byte at which the part begins. */
export const textPartQuery = {
  offset: z.number().int().min(0).default(0),
  bytesMax: z.number().int().min(4).max(textPartBytesMax).default(textPartBytesMax),
}

export const textPartSchema = z.object({
  text: z.string(),
  /** Bytes of the whole text. */
  total: z.number().int().min(0),
  /** The byte at which the next part begins; null at the end. */
  nextOffset: z.number().int().min(1).nullable(),
})

export const transcriptPageSchema = z.object({
  taskId: taskIdSchema,
  /** At most `transcriptPageBytesMax` bytes, so fewer than requested if they are long. */
  entries: z.array(entrySchema),
  /** The previews in these entries. */
  values: z.array(longValueSchema),
  /** The number of entries in the whole transcript. */
  total: z.number().int().min(0),
  /** The start of the next page; null at the end. */
  nextSeq: z.number().int().min(1).nullable(),
  /** The first `pageDamageMax` spans. */
  damage: z.array(damageSchema),
  /** The unfinished message, on the last page only (A8). */
  partial: partialMessageSchema.nullable(),

  source: z.enum(['live', 'archived']),
  /** `expired`: removed by retention or the user; `missing`: it should exist, but does not. */
  status: z.enum(['complete', 'partial-only', 'missing', 'damaged', 'expired']),
  /** Set with the status `expired`. */
  expired: expirySchema.optional(),
})
export type TranscriptPage = z.infer<typeof transcriptPageSchema>

const transcriptSummarySchema = z.object({
  taskId: taskIdSchema,
  parentId: taskIdSchema.nullable(),
  rootId: taskIdSchema,
  projectId: projectIdSchema,
  title: z.string(),
  agent: z.string(),
  status: taskStatusSchema,
  projectDir: z.string(),
  runs: z.number(),
  entries: z.number(),
  bytes: z.number(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  archived: z.boolean(),
  hasReport: z.boolean(),
  /** Title of the newest report. */
  reportTitle: z.string().nullable(),
  model: z.string().nullable(),
  usage: usageSchema,
  resumedFrom: resumedFromSchema.nullable(),
  /** The tool that a root was imported from; null: none. */
  importedFrom: z.string().nullable(),
  /** True if it and the tasks below it never expire. */
  pinned: z.boolean(),
  /** Set if it was removed; then it has no entries and no bytes. */
  transcriptExpired: expirySchema.nullable(),
})
export type TranscriptSummary = z.infer<typeof transcriptSummarySchema>

const workspaceSummarySchema = z.object({
  id: taskIdSchema,
  kind: z.enum(['root', 'task']),
  title: z.string(),
  projectDir: z.string(),
  path: z.string(),
  branch: z.string().nullable(),
  status: taskStatusSchema,
  archived: z.boolean(),
  /** The removal step that is retried at the next start (R5). */
  pending: pendingRemovalSchema.nullable(),
  createdAt: z.string(),
  /** The size of its session directory. */
  bytes: z.number(),
})
export type WorkspaceSummary = z.infer<typeof workspaceSummarySchema>

/** The changes of a workspace since the commit it was created from, including uncommitted and untracked files. */
export const workspaceDiffSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      change: z.enum(['added', 'modified', 'deleted', 'renamed']),
      /** The path before a rename. */
      oldPath: z.string().nullable(),
      /** Null for a binary file. */
      additions: z.number().nullable(),
      deletions: z.number().nullable(),
      /** Git's id of the content, which differs after a further change. All zeros for a deleted file. */
      contentId: z.string(),
    }),
  ),
  /** Unified diff in Git's format, cut at `diffBytesMax`. */
  patch: z.string(),
  truncated: z.boolean(),
  /** Where it would be applied: on the project's checked-out branch, or the parent's. */
  target: z.object({ path: z.string(), branch: z.string().nullable() }),
  /** Git's id of the changed files' tree, which a selection of them refers to; null if nothing changed. */
  tree: z.string().nullable(),
})
export type WorkspaceDiff = z.infer<typeof workspaceDiffSchema>

const keptLeftoversSchema = leftoversSchema.extend({ taskId: taskIdSchema, title: z.string() })
export type KeptLeftovers = z.infer<typeof keptLeftoversSchema>

export const workspace = {
  /**
   * The older form of `transcripts.page`: long texts are whole if they fit. `last: true` reads from the end.
   */
  getSubagentTranscript: base
    .input(
      z.object({
        taskId: idTextSchema,
        requestingWorkspaceId: taskIdSchema.optional(),
        fromSeq: z.number().int().min(1).optional(),
        limit: z.number().int().min(1).max(transcriptPageEntriesMax).default(200),
        last: z.boolean().default(false),
      }),
    )
    .output(transcriptPageSchema),
  /**
   * Reads a part of a command's output that is longer than its result (`detail.whole`).
   */
  readOutput: base
    .input(z.object({ taskId: idTextSchema, sha256: z.string(), ...textPartQuery }))
    .output(textPartSchema),
  /** Lists all transcripts, live and archived, or those of the given tasks, newest first. */
  listTranscripts: base
    .input(
      z.object({ projectDir: z.string().optional(), taskIds: z.array(taskIdSchema).optional() }),
    )
    .output(z.object({ transcripts: z.array(transcriptSummarySchema) })),
  list: base
    .input(z.object({ archived: z.boolean().default(false) }))
    .output(z.object({ workspaces: z.array(workspaceSummarySchema) })),
  /**
   * Stops its tasks, archives it with the workspaces below it, and removes its worktree (R1). REFUSED
   * `unknown-worktree` if Git no longer has the worktree registered, so that its changes can't be saved as a patch. With
   * `discardUnknownWorktree`, its files are moved to the trash unchanged.
   */
  remove: base
    .input(
      z.object({
        workspaceId: idTextSchema,
        discardUnknownWorktree: z.boolean().default(false),
      }),
    )
    .output(z.object({ removed: z.array(taskIdSchema) })),
  /** Lists the files in the trash that were left in its removed worktree, and in those below it, and are in no patch (R3). */
  leftovers: base
    .input(z.object({ workspaceId: idTextSchema }))
    .output(z.object({ leftovers: z.array(keptLeftoversSchema) })),
  /**
   * Restores a removed root from the archive, including its worktree and uncommitted work, with the sub-agents below it
   * that were interrupted or failed; or such a sub-agent of an active root (R6).
   */
  restore: base.input(z.object({ workspaceId: idTextSchema })).output(
    z.object({
      /** The restored tasks, topmost first. */
      restored: z.array(taskIdSchema),
      /** Sub-agents that stayed in the archive; `why` states the obstacle and the remedy. */
      left: z.array(z.object({ taskId: taskIdSchema, title: z.string(), why: z.string() })),
    }),
  ),
  /** Moves a removed root, with the tasks below it, to the trash. `untrash` reverts that until it expires. */
  trash: base
    .input(z.object({ workspaceId: idTextSchema }))
    .output(z.object({ trashed: z.array(taskIdSchema) })),
  untrash: base.input(z.object({ workspaceId: idTextSchema })).output(z.object({})),
  /**
   * `patch: false`: only the files and their counts. `ignoreSpace`: ignores differences in white space. `file`: limits
   * the patch to one file (`paths`: its path, and the old one of a renamed file); `whole`: with all of its lines.
   */
  diff: base
    .input(
      z.object({
        workspaceId: idTextSchema,
        patch: z.boolean().default(true),
        ignoreSpace: z.boolean().default(false),
        file: z
          .object({ paths: z.array(z.string()).min(1).max(2), whole: z.boolean().default(false) })
          .optional(),
      }),
    )
    .output(workspaceDiffSchema),
  /**
   * Counts the files that a task and those below it changed: by a comparison with the base commit where it has a
   * worktree of its own, else from its transcript. Changes that were applied to a counted parent count once.
   */
  treeChanges: base.input(z.object({ workspaceId: idTextSchema })).output(treeChangesSchema),
  /** Finds the changes that the target already has, and those that would conflict there. Changes nothing. */
  compareTarget: base.input(z.object({ workspaceId: idTextSchema })).output(targetComparisonSchema),
  /**
   * Finds files of a workspace, or of a project's own folder, by a few letters of their paths, best first. Files that
   * Git ignores are excluded.
   */
  findFiles: base
    .input(
      z
        .object({
          query: z.string().max(findQueryCharsMax),
          limit: z.number().int().min(1).max(foundFilesMax).default(foundFilesMax),
        })
        .and(
          z.union([
            z.object({ workspaceId: idTextSchema }),
            z.object({ projectId: projectIdSchema }),
          ]),
        ),
    )
    // Relative to that folder, `/` as separator.
    .output(z.object({ files: z.array(z.string()) })),
  /** Opens its folder on the machine that the host runs on. */
  openFolder: base
    .input(z.object({ workspaceId: idTextSchema, with: z.enum(['editor', 'file-manager']) }))
    .output(z.object({})),
}
