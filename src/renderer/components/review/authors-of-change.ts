/** The authors of one change of a file, by its lines. Pure. */
import type { HunkRange } from '../../../shared/contract/changes/changes.ts'
import type {
  AuthoredLines,
  ChangeAuthor,
  FileAuthors,
} from '../../../shared/contract/changes/review.ts'

/**
 * Diffs that took another of two equal lines for the new one disagree by a few lines: then those beside a change tell.
 * As many as Git shows around a change.
 */
const nearLines = 3

/** In the order of their turns; none if nothing is known. */
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

/** The turns that changed a file, each once, with its last place in the transcript. */
export function turnsOf(authors: readonly ChangeAuthor[]): { turn: number; seq: number }[] {
  const turns = new Map<number, number>()
  for (const { by, turn, seq } of authors)
    if ((by === 'call' || by === 'turn') && turn !== null && seq !== null) turns.set(turn, seq)
  return [...turns].map(([turn, seq]) => ({ turn, seq }))
}
