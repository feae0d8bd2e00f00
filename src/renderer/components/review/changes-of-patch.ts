/** The changes of a file that a reviewer steps through: changed lines with a few unchanged ones between them. Pure. */
import { parsePatch } from 'diff'
import type { HunkRange } from '../../../shared/contract/changes/changes.ts'
import { isHunkWithin } from '../../../shared/git/hunk-ranges.ts'
import type { PatchLine } from '../diff/file-patch.tsx'

interface FileChange {
  /** From the first to the last changed line. */
  range: HunkRange
  /** Runs of consecutive changed lines in it. */
  blocks: number
  /** The line below which the label is placed, the last unchanged one; null: above the whole diff. */
  label: PatchLine | null
}

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
    for (const line of hunk.lines) {
      if (line.startsWith('\\')) continue
      if (line.startsWith(' ')) {
        above = { side: 'additions', line: newLine }
        unchanged++
        oldLine++
        newLine++
        continue
      }
      if (unchanged > contextLines * 2) {
        const range = { oldStart: oldLine, oldLines: 0, newStart: newLine, newLines: 0 }
        changes.push({ range, blocks: 1, label: above })
      } else if (unchanged > 0) bump(changes)
      const change = changes.at(-1)
      unchanged = 0
      if (line.startsWith('-')) oldLine++
      else newLine++
      if (!change) continue
      change.range.oldLines = oldLine - change.range.oldStart
      change.range.newLines = newLine - change.range.newStart
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
