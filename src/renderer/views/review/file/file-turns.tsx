import type { ChangeAuthor } from '../../../../shared/contract/changes/review.ts'
import { TextButton } from '../../../components/primitives/index.ts'
import { turnsOf } from '../../../components/review/authors-of-change.ts'

/** A longer list of turns does not help a reader of one file. */
const turnsMax = 12

/** The turns that changed a file, as links into the transcript. */
export function FileTurns(props: { authors: readonly ChangeAuthor[]; onOpen(seq: number): void }) {
  const { authors, onOpen } = props
  const turns = turnsOf(authors)
  const hasOutside = authors.some(({ by }) => by === 'outside')
  if (turns.length === 0 && !hasOutside) return null
  const shown = turns.slice(-turnsMax)
  return (
    <p className="flex flex-wrap gap-x-2 text-small text-muted">
      Changed in
      {turns.length > shown.length ? (
        <span>{turns.length - shown.length} earlier turns,</span>
      ) : null}
      {shown.map(({ turn, seq }) => (
        <TextButton key={turn} onClick={() => onOpen(seq)}>
          turn {turn}
        </TextButton>
      ))}
      {hasOutside ? <span>{turns.length > 0 ? 'and ' : ''}outside of its turns</span> : null}
    </p>
  )
}
