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

/** A turn that changed a file. */
interface ChangingTurn {
  turn: number
  /** Its last entry that changed the file. */
  seq: number
  /** The task of the turn, if it is one that the reviewed task continues. */
  of?: ChangeAuthor['of']
}

/** Returns the turns that changed a file, each once. */
export function turnsOf(authors: readonly ChangeAuthor[]): ChangingTurn[] {
  const turns = new Map<string, ChangingTurn>()
  for (const { by, turn, seq, of } of authors)
    if ((by === 'call' || by === 'turn') && turn !== null && seq !== null)
      turns.set(`${of?.taskId} ${turn}`, { turn, seq, ...(of && { of }) })
  return [...turns.values()]
}
