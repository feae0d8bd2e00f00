/** Places comments in the shown diff, and states what happened to their lines. Pure. */
import type { ChangeAuthor, FileAuthors } from '../../../../shared/contract/changes/review.ts'
import type { OutlineItem } from '../../../../shared/contract/transcripts/transcripts.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import {
  commentLineCharsMax,
  type ReviewComment,
} from '../../../../shared/records/review-comments.ts'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'

/** Where a commented line is now and who changed it: an anchor of `FileAuthors`. */
export type LineFate = NonNullable<FileAuthors['anchors'][number]>

export interface PlacedComment {
  comment: ReviewComment
  /** The line in the shown diff; 0 for the file as a whole; null if the diff does not show it. */
  line: number | null
  /** What happened to the line; null: it is unchanged and in its place. */
  note: string | null
  /** Who changed the line, or the file of a comment on the whole; null: nobody did, or it is not known. */
  changedBy: ChangeAuthor | null
  /** The recorded files show that the line still is as it was. */
  isUnchanged: boolean
}

type Line = PatchLine & { text: string }

export function placeComment(
  comment: ReviewComment,
  {
    lines,
    fate,
    authors,
  }: { lines: readonly Line[]; fate: LineFate | undefined; authors: readonly ChangeAuthor[] },
): PlacedComment {
  const { line: was, side, sent } = comment
  if (was === 0) {
    const sentAt = sent && Date.parse(sent.at)
    const later =
      sentAt === null ? undefined : authors.findLast(({ at }) => at !== null && at > sentAt)
    return { comment, line: 0, note: null, changedBy: later ?? null, isUnchanged: false }
  }
  // Lines of the old file do not move, and lines without a recorded state can't be followed.
  if (side === 'deletions' || !fate) {
    const line = lineOfText(comment, lines)
    const gone = side === 'deletions' ? 'The line is no longer removed.' : 'The line is gone.'
    const note = line === null ? gone : line === was ? null : `Was line ${was}.`
    return { comment, line, note, changedBy: null, isUnchanged: false }
  }
  const changedBy = (fate.author === null ? null : authors[fate.author]) ?? null
  if (fate.line === null)
    return { comment, line: null, note: 'The line is gone.', changedBy, isUnchanged: false }
  const isShown = lines.some((one) => one.side === side && one.line === fate.line)
  const moved = fate.line === was ? '' : isShown ? `Was line ${was}.` : `Now line ${fate.line}.`
  const hidden = isShown ? '' : 'The line is not part of the diff.'
  const changed = changedBy?.by === 'unknown' ? 'The line was changed.' : ''
  const note = [changed, moved, hidden].filter(Boolean).join(' ')
  const line = isShown ? fate.line : null
  return { comment, line, note: note || null, changedBy, isUnchanged: changedBy === null }
}

/** The line with the comment's text that is nearest to its old place; null if the patch has none. */
function lineOfText(
  comment: Pick<ReviewComment, 'side' | 'line' | 'lineText'>,
  lines: readonly Line[],
): number | null {
  return lines
    .filter(({ side, text }) => side === comment.side && lineTextOf(text) === comment.lineText)
    .reduce<number | null>(
      (nearest, { line }) =>
        nearest === null || Math.abs(line - comment.line) < Math.abs(nearest - comment.line)
          ? line
          : nearest,
      null,
    )
}

/** The part of a line's text that a comment stores. */
export const lineTextOf = (text: string): string => text.slice(0, commentLineCharsMax)

/** `waiting`: the agent has not read it, or is working on it. `none`: its run ended without an answer. */
export type Reply =
  | { kind: 'waiting' }
  | { kind: 'none' }
  | { kind: 'turns'; taskId: TaskId; first: RepliedTurn; last: RepliedTurn }

interface RepliedTurn {
  turn: number
  seq: number
}

/** What is known of the answer to one comment. `turn`: the turn of the reply that changed the commented line. */
export type Answer = Reply | { kind: 'turn'; taskId: TaskId; turn: number; seq: number }

/**
 * A follow-up sends several comments, and its reply does not state which turn was about which of them. Known is only
 * whether one of its turns changed the line. `taskId`: the task under review.
 */
export function answerTo(placed: PlacedComment, reply: Reply, taskId: TaskId): Answer {
  const { by, turn, seq, of } = placed.changedBy ?? {}
  // A change of the file may be about any of them.
  if (placed.comment.line === 0) return reply
  if (reply.kind !== 'turns' || reply.taskId !== taskId || of) return reply
  if (by !== 'call' && by !== 'turn') return reply
  if (!turn || !seq || turn < reply.first.turn || turn > reply.last.turn) return reply
  return { kind: 'turn', taskId, turn, seq }
}

/** The turns that answered a follow-up: those before the next prompt, or before the end of the run. */
export function replyTo(taskId: TaskId, prompt: string, items: readonly OutlineItem[]): Reply {
  const start = prompt.trim().replace(/\s+/g, ' ')
  const promptIndex = items.findIndex(
    (item) => item.kind === 'prompt' && item.text !== '' && start.startsWith(item.text),
  )
  if (promptIndex < 0) return { kind: 'waiting' }
  let found: Reply = { kind: 'none' }
  for (const item of items.slice(promptIndex + 1)) {
    if (item.kind === 'prompt') return found
    // An interrupted run may be resumed and answer later.
    if (item.kind === 'run-end' && item.status !== 'interrupted') return found
    if (item.kind === 'turn' && item.status === 'complete') {
      const last: RepliedTurn = { turn: item.turn, seq: item.seq }
      found = { kind: 'turns', taskId, first: found.kind === 'turns' ? found.first : last, last }
    }
  }
  return { kind: 'waiting' }
}
