import { parsePatch } from 'diff'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'

/**
 * The lines of a patch of one file, as numbered in the new file (added lines and context) or the old one (removed
 * lines). Pure.
 */
export function linesOfPatch(patch: string): (PatchLine & { text: string })[] {
  const lines: (PatchLine & { text: string })[] = []
  for (const hunk of parsePatch(patch)[0]?.hunks ?? []) {
    let oldLine = hunk.oldStart
    let newLine = hunk.newStart
    for (const line of hunk.lines) {
      const text = line.slice(1)
      if (line.startsWith('-')) lines.push({ side: 'deletions', line: oldLine++, text })
      else if (line.startsWith('+')) lines.push({ side: 'additions', line: newLine++, text })
      else if (!line.startsWith('\\')) {
        lines.push({ side: 'additions', line: newLine++, text })
        oldLine++
      }
    }
  }
  return lines
}
