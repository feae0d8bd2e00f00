/**
 * The files of a task at a moment of its transcript (V5): the whole working tree, including changes by commands, kept
 * as long as the transcript. NOT_FOUND, OUT_OF_SCOPE and DAMAGED are always distinguished (A5). Files that were never
 * recorded, or are no longer kept, are not an error but `missing`.
 */
import { z } from 'zod'
import { notStoredPathsSchema } from '../../records/entry-types/files.ts'
import { idTextSchema, taskIdSchema } from '../../records/ids.ts'
import { base } from '../base.ts'
import { workspaceDiffSchema } from '../workspace.ts'

/** Limit for the names of one folder; further ones are counted. */
export const turnFolderNamesMax = 5_000
/** Limit for a shown file; a longer one is cut. */
const shownFileBytesMax = 1 << 20
/** Limit for one answer: the size of the largest untracked file that is stored. */
export const turnFileBytesMax = 32 << 20
/** Longer than any path. */
const pathCharsMax = 4_096

const seq = z.number().int().min(1)
const count = z.number().int().min(0)
/** The moment after the entry `seq`. */
const moment = { taskId: idTextSchema, requestingWorkspaceId: taskIdSchema.optional(), seq }
/** Relative to the root of the working tree, with `/`. */
const path = z.string().max(pathCharsMax)

/** The entry that recorded the files: the last one at or before the moment. */
const statedSchema = z.object({
  seq,
  at: z.number(),
  turn: z.number().int().min(1).nullable(),
  /** Why a snapshot between that entry and the moment failed; null: none did. */
  failed: z.string().nullable(),
  /**
   * Paths whose content was not stored, from the last snapshot after a turn, because the states before and after a call
   * do not list any. At most `notStoredMax`.
   */
  notStored: notStoredPathsSchema,
})
export type StatedFiles = z.infer<typeof statedSchema>

const missingSchema = z.object({
  kind: z.literal('missing'),
  /**
   * `no-git`: files are recorded only in Git projects. `before`: not recorded yet, or by another tool. `failed`: recording failed.
   * `expired`: deleted with the transcript. `lost`: missing in the store. `not-stored`: the file existed, but its
   * content was not stored.
   */
  reason: z.enum(['no-git', 'before', 'failed', 'expired', 'lost', 'not-stored']),
  /** A sentence. */
  message: z.string(),
})
export type MissingFiles = z.infer<typeof missingSchema>

const turnFolderSchema = z.object({
  kind: z.literal('folder'),
  stated: statedSchema,
  /** Folders first, then by name. */
  names: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['folder', 'file', 'link', 'submodule']),
      /** Null if it is not a file, or its content is no longer kept. */
      bytes: count.nullable(),
      isExecutable: z.boolean(),
    }),
  ),
  more: count,
})
export type TurnFolder = z.infer<typeof turnFolderSchema>

const turnFileSchema = z.object({
  kind: z.literal('file'),
  stated: statedSchema,
  content: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('bytes'), base64: z.string() }),
    z.object({ kind: z.literal('image'), mediaType: z.string(), base64: z.string() }),
    /** Not shown as text. */
    z.object({ kind: z.literal('binary') }),
    z.object({ kind: z.literal('link'), target: z.string() }),
    z.object({ kind: z.literal('submodule'), commit: z.string() }),
    /** An unchanged file of an old state, which the repository no longer has. */
    z.object({ kind: z.literal('lost') }),
  ]),
  /** Size of the whole file; null if unknown. */
  bytes: count.nullable(),
  truncated: z.boolean(),
})
export type TurnFile = z.infer<typeof turnFileSchema>

const diffBases = ['turn-before', 'start', 'now'] as const
export type DiffBase = (typeof diffBases)[number]

const turnDiffSchema = workspaceDiffSchema.omit({ target: true, tree: true }).extend({
  kind: z.literal('diff'),
  stated: statedSchema,
  /**
   * What it is compared with. `entry`: the files of that entry. `folder`: the current working directory. `same`: there is
   * no other state.
   */
  other: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('entry'), seq, at: z.number() }),
    z.object({ kind: z.literal('folder') }),
    z.object({ kind: z.literal('same') }),
  ]),
})
export type TurnDiff = z.infer<typeof turnDiffSchema>

export const turnFiles = {
  /** Lists a folder; `path` empty: the root. NOT_FOUND `folder`. */
  folder: base
    .input(z.object({ ...moment, path: path.default('') }))
    .output(z.discriminatedUnion('kind', [turnFolderSchema, missingSchema])),
  /** Reads a file; `as: 'bytes'`: as bytes, whatever its type. NOT_FOUND `file`. */
  file: base
    .input(
      z.object({
        ...moment,
        path: path.min(1),
        as: z.enum(['shown', 'bytes']).default('shown'),
        bytesMax: z.number().int().min(1).max(turnFileBytesMax).default(shownFileBytesMax),
      }),
    )
    .output(z.discriminatedUnion('kind', [turnFileSchema, missingSchema])),
  /**
   * Returns the changes from the end of the previous turn, or from the first state, to the moment; or from the moment to
   * the current working directory, or to the last state if that is gone. `patch: false`: without their text.
   */
  diff: base
    .input(z.object({ ...moment, against: z.enum(diffBases), patch: z.boolean().default(true) }))
    .output(z.discriminatedUnion('kind', [turnDiffSchema, missingSchema])),
}
