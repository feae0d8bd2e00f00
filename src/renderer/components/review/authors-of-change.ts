/** Finds the authors of one change of a file by its lines. Pure. */
import type { HunkRange } from '../../../shared/contract/changes/changes.ts'
import type {
  AuthoredLines,
  ChangeAuthor,
  FileAuthors,
} from '../../../shared/contract/changes/review.ts'

/**
 * Two diffs may match equal lines differently, and so disagree by a few lines. If no author is found, those of nearby
 * lines are used, within the number of lines that Git shows around a change.
 */
const nearLines = 3

/** In the order of their turns; empty if nothing is known. */
export function authorsOfChange(
  { oldStart, oldLines, newStart, newLines }: HunkRange,
  { authors, written, removed }: Omit<FileAuthors, 'anchors'>,
): ChangeAuthor[] {
  for (const beside of [0, nearLines]) {
    const found = new Set([
      ...within(removed, oldStart - beside, oldStart + oldLines + beside),
      ...within(written, newStart - beside, newStart + newLines + beside),
    ])
    if (found.size > 0) return authors.filter((_, index) => found.has(index))
  }
  return []
}

const within = (runs: readonly AuthoredLines[], from: number, to: number): number[] =>
  runs.flatMap(({ start, lines, author }) => (start < to && start + lines > from ? [author] : []))

/** Returns the turns that changed a file, each once, with its last seq in the transcript. */
export function turnsOf(authors: readonly ChangeAuthor[]): { turn: number; seq: number }[] {
  const turns = new Map<number, number>()
  for (const { by, turn, seq } of authors)
    if ((by === 'call' || by === 'turn') && turn !== null && seq !== null) turns.set(turn, seq)
  return [...turns].map(([turn, seq]) => ({ turn, seq }))
}
