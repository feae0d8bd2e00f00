/** Converts file changes to tool details. */
import { isAbsolute, relative, sep } from 'node:path'
import type { ToolDetail } from '../../../shared/agents/tools.ts'

/** Longer diffs are dropped; the call's input still has the change. */
export const patchCharsMax = 200_000

/** `patch`: a unified diff with its two header lines. */
export function editDetail(
  path: string,
  change: 'created' | 'changed',
  patch: string,
): Extract<ToolDetail, { kind: 'edit' }> {
  const lines = patch.split('\n').slice(2)
  return {
    kind: 'edit',
    path,
    change,
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    patch: patch.length > patchCharsMax ? null : patch,
  }
}

/** Relative to the working directory with `/` as separator, if the path is inside; else unchanged. */
export function shownPath(path: string, cwd: string): string {
  if (!isAbsolute(path) || cwd === '') return path
  const inside = relative(cwd, path)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside)
    ? path
    : inside.split(sep).join('/')
}
