import type { ChangeAuthor } from '../../../../shared/contract/changes/review.ts'
import { TextButton } from '../../../components/primitives/index.ts'
import { turnsOf } from '../../../components/review/authors-of-change.ts'

/** More turns than these are no help to a reader of one file. */
const turnsMax = 12

/** The turns in which a file was changed, by the files after each; each leads to its place in the transcript. */
export function FileTurns(props: { authors: readonly ChangeAuthor[]; onOpen(seq: number): void }) {
  const { authors, onOpen } = props
  const turns = turnsOf(authors)
  const isMine = authors.some(({ by }) => by === 'outside')
  if (turns.length === 0 && !isMine) return null
  const shown = turns.slice(-turnsMax)
  return (
    <p className="flex flex-wrap gap-x-2 text-small text-muted">
      Changed in
      {turns.length > shown.length ? (
        <span>{turns.length - shown.length} turns before,</span>
      ) : null}
      {shown.map(({ turn, seq }) => (
        <TextButton key={turn} onClick={() => onOpen(seq)}>
          turn {turn}
        </TextButton>
      ))}
      {isMine ? <span>{turns.length > 0 ? 'and ' : ''}outside of its turns</span> : null}
    </p>
  )
}
