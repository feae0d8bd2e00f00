/** Parts of a task's changes: which of them to apply, and how they stand in the folder that they are applied to. */
import { z } from 'zod'

/** As in the header of a hunk, `@@ -oldStart,oldLines +newStart,newLines @@`. */
const hunkRangeSchema = z.object({
  oldStart: z.number().int().min(0),
  oldLines: z.number().int().min(0),
  newStart: z.number().int().min(0),
  newLines: z.number().int().min(0),
})
export type HunkRange = z.infer<typeof hunkRangeSchema>

/** More files or hunks than a person chooses one by one. */
const selectedMax = 5_000

export const changeSelectionSchema = z.object({
  /** `WorkspaceDiff.tree` of the diff that was chosen from: REFUSED `changed-since-shown` if the changes are others now. */
  tree: z.string(),
  files: z
    .array(
      z.object({
        /** `files[].path` of the diff: the new path of a renamed file. */
        path: z.string().min(1),
        /** The changed lines within these hunks of a diff without `ignoreSpace`; absent: the whole file. */
        hunks: z.array(hunkRangeSchema).min(1).max(selectedMax).optional(),
      }),
    )
    .min(1)
    .max(selectedMax),
})
export type ChangeSelection = z.infer<typeof changeSelectionSchema>
