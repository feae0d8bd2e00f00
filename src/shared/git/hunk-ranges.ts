/** The line ranges of the hunks of a unified diff. */
import type { HunkRange } from '../contract/changes/changes.ts'

/**
 * Returns the ranges of the hunks of one file's patch, in order. Content lines start with a space, `+`, `-` or `\`, so
 * none is mistaken for a header.
 */
export function hunkRangesOf(patch: string): HunkRange[] {
  return [...patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, oldStart, oldLines = '1', newStart, newLines = '1']) => ({
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
    }),
  )
}

/** Reports whether `inner` lies within `outer`. A side without lines has no position, so only the other side counts. */
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
