import { Fragment } from 'react'
import type { ChangeAuthor } from '../../../shared/contract/changes/review.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { TextButton } from '../primitives/index.ts'

/** More turns of one change are shown as a count. */
const shownMax = 3

/** The authors of a change, and how exactly they are known; a turn links to its place in the transcript. */
export function ChangeAuthors(props: {
  authors: readonly ChangeAuthor[]
  /** `of`: the task whose transcript it is, if not the reviewed one's. */
  onOpen(seq: number, of?: TaskId): void
  /** Opens the changes of a sub-agent whose patch was applied. */
  onReview(taskId: string): void
}) {
  const { authors, onOpen, onReview } = props
  const [only] = authors
  if (!only) return null
  if (authors.length === 1)
    return (
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-1" title={reasonOf(only)}>
        <OneAuthor author={only} onOpen={onOpen} onReview={onReview} />
      </span>
    )
  const parts = partsOf(authors)
  const shown = parts.slice(0, shownMax)
  return (
    <span
      className="flex min-w-0 flex-wrap items-baseline gap-x-1"
      title="Mixed: lines of this change were written in several places."
    >
      Mixed:
      {shown.map(({ text, seq, of }, index) => (
        <Fragment key={text}>
          {seq === null ? (
            <span>{text}</span>
          ) : (
            <TextButton onClick={() => onOpen(seq, of)}>{text}</TextButton>
          )}
          {index < shown.length - 1 ? <span aria-hidden>·</span> : null}
        </Fragment>
      ))}
      {parts.length > shown.length ? <span>and {parts.length - shown.length} more</span> : null}
    </span>
  )
}

function OneAuthor(props: {
  author: ChangeAuthor
  onOpen(seq: number, of?: TaskId): void
  onReview(taskId: string): void
}) {
  const { author, onOpen, onReview } = props
  const { by, seq, tool, applied, of } = author
  if (by === 'unknown') return <span>Unknown turn</span>
  if (by === 'outside') return <span>{outsideText(author)}</span>
  return (
    <>
      <TextButton className="shrink-0" onClick={() => seq !== null && onOpen(seq, of?.taskId)}>
        {turnName(author)}
      </TextButton>
      {applied ? (
        <>
          <span className="shrink-0">applied from</span>
          <TextButton
            className="untrusted min-w-0 truncate"
            onClick={() => onReview(applied.taskId)}
          >
            {plainText(applied.title)}
          </TextButton>
        </>
      ) : (
        <span className="untrusted min-w-0 truncate">
          {by === 'call' ? tool : 'one of its calls'}
        </span>
      )}
    </>
  )
}

/** Lists a turn once, however many of its calls wrote the change. */
function partsOf(authors: readonly ChangeAuthor[]) {
  const parts = new Map<string, { seq: number | null; of: TaskId | undefined }>()
  for (const author of authors) {
    const { by, seq, of } = author
    if (by === 'unknown') parts.set('an unknown turn', { seq: null, of: undefined })
    else if (by === 'outside') parts.set('outside of a turn', { seq: null, of: undefined })
    else parts.set(turnName(author, 'turn'), { seq, of: of?.taskId })
  }
  return [...parts].map(([text, place]) => ({ text, ...place }))
}

const turnName = ({ turn, of }: ChangeAuthor, word = 'Turn'): string =>
  `${word} ${turn}${of ? ' of the earlier task' : ''}`

const outsideText = ({ turn }: ChangeAuthor): string =>
  turn === null ? 'Changed before the first turn' : `Changed outside of a turn, after turn ${turn}`

function reasonOf({ by }: ChangeAuthor): string {
  switch (by) {
    case 'call':
      return 'Exact: the files before and after this call show that it made the change.'
    case 'turn':
      return 'Made in this turn; which of its calls made it was not recorded.'
    case 'outside':
      return 'Made while no turn was running: by you, or by another program.'
    case 'unknown':
      return 'The files were not recorded when this was changed.'
  }
}
