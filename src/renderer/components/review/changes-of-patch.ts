/** The changes of a file that a reviewer steps through: changed lines with a few unchanged ones between them. Pure. */
import { parsePatch } from 'diff'
import type { HunkRange } from '../../../shared/contract/changes/changes.ts'
import { isHunkWithin } from '../../../shared/hunk-ranges.ts'
import type { PatchLine } from '../diff/file-patch.tsx'

interface FileChange {
  /** From the first to the last changed line. */
  range: HunkRange
  /** Runs of consecutive changed lines in it. */
  blocks: number
  /**
   * The line at which the label is placed: above the first line; if nothing is shown above, below its first lines or
   * the first.
   */
  label: PatchLine
}

/** A longer change with no line shown above it is labelled below its first line. */
const labelledLinesMax = 12

/**
 * As many context lines as Git shows: two changes with fewer lines between them form one hunk, also in a whole file.
 */
const contextLines = 3

export function changesOfPatch(patch: string): FileChange[] {
  const changes: FileChange[] = []
  for (const hunk of parsePatch(patch)[0]?.hunks ?? []) {
    let [oldLine, newLine] = [hunk.oldStart, hunk.newStart]
    let unchanged = Number.POSITIVE_INFINITY
    let above: PatchLine | null = null
    let first: PatchLine = { side: 'additions', line: 1 }
    for (const line of hunk.lines) {
      if (line.startsWith('\\')) continue
      if (line.startsWith(' ')) {
        above = { side: 'additions', line: newLine }
        unchanged++
        oldLine++
        newLine++
        continue
      }
      const removed = line.startsWith('-')
      const here: PatchLine = removed
        ? { side: 'deletions', line: oldLine }
        : { side: 'additions', line: newLine }
      if (unchanged > contextLines * 2) {
        const range = { oldStart: oldLine, oldLines: 0, newStart: newLine, newLines: 0 }
        changes.push({ range, blocks: 1, label: above ?? here })
        first = here
      } else if (unchanged > 0) bump(changes)
      const change = changes.at(-1)
      unchanged = 0
      if (removed) oldLine++
      else newLine++
      if (!change) continue
      change.range.oldLines = oldLine - change.range.oldStart
      change.range.newLines = newLine - change.range.newStart
      // In a new file the last line may be far below.
      if (above !== null) continue
      const lines = change.range.oldLines + change.range.newLines
      change.label = lines <= labelledLinesMax ? here : first
    }
  }
  return changes
}

function bump(changes: readonly FileChange[]): void {
  const last = changes.at(-1)
  if (last) last.blocks++
}

/** Whether all changed lines of `change` are among the applied hunks. */
export const isApplied = (change: FileChange, applied: readonly HunkRange[]): boolean =>
  applied.filter((hunk) => isHunkWithin(hunk, change.range)).length >= change.blocks
