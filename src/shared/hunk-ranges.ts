/** The lines that the hunks of a unified diff are about. */
import type { HunkRange } from './contract/changes/changes.ts'

/** The hunks of a patch of one file, in order. Content lines start with a space, `+`, `-` or `\`, so none is taken for a header. */
export function hunkRangesOf(patch: string): HunkRange[] {
  return [...patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, oldStart, oldLines = '1', newStart, newLines = '1']) => ({
      ...{ oldStart: Number(oldStart), oldLines: Number(oldLines) },
      ...{ newStart: Number(newStart), newLines: Number(newLines) },
    }),
  )
}

/** Whether all lines of one hunk are in another. A side without lines has no place of its own: the other one decides. */
export function isHunkWithin(inner: HunkRange, outer: HunkRange): boolean {
  const old =
    inner.oldLines === 0 ||
    (inner.oldStart >= outer.oldStart &&
      inner.oldStart + inner.oldLines <= outer.oldStart + outer.oldLines)
  const now =
    inner.newLines === 0 ||
    (inner.newStart >= outer.newStart &&
      inner.newStart + inner.newLines <= outer.newStart + outer.newLines)
  return old && now
}
