import type { ChangeAuthor } from '../../../../shared/contract/changes/review.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { TextButton } from '../../../components/primitives/index.ts'
import { turnsOf } from '../../../components/review/authors-of-change.ts'

/** A longer list of turns does not help a reader of one file. */
const turnsMax = 12

/** The turns that changed a file, as links into the transcript. */
export function FileTurns(props: {
  authors: readonly ChangeAuthor[]
  /** `of`: the task whose transcript it is, if not the reviewed one's. */
  onOpen(seq: number, of?: TaskId): void
}) {
  const { authors, onOpen } = props
  const turns = turnsOf(authors)
  const hasOutside = authors.some(({ by }) => by === 'outside')
  if (turns.length === 0 && !hasOutside) return null
  const shown = turns.slice(-turnsMax)
  return (
    <p className="flex flex-wrap gap-x-2 text-small text-muted">
      {turns.length > 0 ? 'Changed in' : 'Changed'}
      {turns.length > shown.length ? (
        <span>{turns.length - shown.length} earlier turns,</span>
      ) : null}
      {shown.map(({ turn, seq, of }) => (
        <TextButton
          key={`${of?.taskId} ${turn}`}
          title={of && `Of “${plainText(of.title)}”, which this continues`}
          onClick={() => onOpen(seq, of?.taskId)}
        >
          turn {turn}
          {of ? ' of the earlier task' : null}
        </TextButton>
      ))}
      {hasOutside ? <span>{turns.length > 0 ? 'and ' : ''}outside of its turns</span> : null}
    </p>
  )
}
