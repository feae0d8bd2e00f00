/** Selections of a task's changes to apply, and their comparison with the target folder. */
import { z } from 'zod'

/** As in the header of a hunk, `@@ -oldStart,oldLines +newStart,newLines @@`. */
const hunkRangeSchema = z.object({
  oldStart: z.number().int().min(0),
  oldLines: z.number().int().min(0),
  newStart: z.number().int().min(0),
  newLines: z.number().int().min(0),
})
export type HunkRange = z.infer<typeof hunkRangeSchema>

/** More files or hunks than a user selects by hand. */
const selectedMax = 5_000

export const changeSelectionSchema = z.object({
  /** `WorkspaceDiff.tree` of the diff of the selection: REFUSED `changed-since-shown` if the changes are different now. */
  tree: z.string(),
  files: z
    .array(
      z.object({
        /** `files[].path` of the diff: the new path of a renamed file. */
        path: z.string().min(1),
        /** The changed lines within these hunks of a diff without `ignoreSpace`; absent: the whole file. */
        hunks: z.array(hunkRangeSchema).min(1).max(selectedMax).optional(),
        /** Replaces the target's version of the file instead of merging with it. Not with `hunks`. */
        replace: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(selectedMax),
})
export type ChangeSelection = z.infer<typeof changeSelectionSchema>

/** Limit for one conflict that is shown: more lines are read in an editor. */
export const conflictCharsMax = 4_000

const conflictSchema = z.object({
  path: z.string(),
  /** Git's message, for example that one side deleted the file; empty for lines that both changed. */
  message: z.string(),
  /** The lines that both changed; none for a binary or deleted file, or before Git 2.38. */
  places: z.array(
    z.object({
      /** Each cut at `conflictCharsMax`. */
      target: z.string(),
      changes: z.string(),
    }),
  ),
})
export type ChangeConflict = z.infer<typeof conflictSchema>

/** The comparison of a task's changes with the folder that they would be applied to. */
export const targetComparisonSchema = z.object({
  /** As `WorkspaceDiff.tree`. */
  tree: z.string().nullable(),
  files: z.array(
    z.object({
      path: z.string(),
      /**
       * `applied`: an apply would not change the target's file, which equals the changed one or has all of its changes
       * beside others. `partly`: the target has `hunks` of it.
       */
      state: z.enum(['open', 'partly', 'applied']),
      /** The target's file differs from its last commit, or is in none. */
      uncommitted: z.boolean(),
      /** Without context lines. */
      hunks: z.array(hunkRangeSchema),
    }),
  ),
  /** Files that an apply of everything would not merge. */
  conflicts: z.array(conflictSchema),
})
export type TargetComparison = z.infer<typeof targetComparisonSchema>
