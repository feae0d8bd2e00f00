/** The comments on one place of a file, and the form of the one that is being written. */
import { Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'
import {
  IconButton,
  RelativeTime,
  TextButton,
  toast,
} from '../../../components/primitives/index.ts'
import { problemOf } from '../../../rpc/problem.ts'
import { useStores } from '../../../store/hooks.ts'
import { showProblem } from '../../app/toasts.ts'
import type { CommentDrafts } from './comment-drafts.ts'
import { CommentForm } from './comment-form.tsx'
import { type Answer, answerTo, type PlacedComment, type Reply } from './place-comments.ts'

export function CommentThread(props: {
  path: string
  /** `line` 0: the file as a whole. */
  at: PatchLine
  comments: readonly ReactNode[]
  writing: boolean
  typed: CommentDrafts
  onSave(text: string): Promise<boolean>
  onCancel(): void
}) {
  const { path, at, comments, writing, typed, onSave, onCancel } = props
  return (
    <div className="flex flex-col gap-2 px-3 py-2">
      {comments}
      {writing ? (
        <CommentForm
          typed={typed}
          id={`${at.side} ${at.line}`}
          label={at.line === 0 ? `Comment on ${path}` : `Comment on line ${at.line}`}
          onSave={onSave}
          onCancel={onCancel}
        />
      ) : null}
    </div>
  )
}

/** One comment, with what happened to its line and, once it was sent, the turns that answered it. */
export function Comment(props: {
  taskId: TaskId
  placed: PlacedComment
  reply: Reply | undefined
  typed: CommentDrafts
  onOpen(seq: number, taskId?: TaskId): void
}) {
  const { taskId, placed, reply, typed, onOpen } = props
  const { comment } = placed
  const answer = reply && answerTo(placed, reply, taskId)
  const { client } = useStores()
  const [editing, setEditing] = useState(typed.has(placed.comment.id))
  const { id, text, sent } = comment
  const remove = async () => {
    const removed = client.review.removeComment({ taskId, commentId: id })
    if (!(await succeeds('remove the comment', removed))) return
    const { id: _, at: __, sent: ___, ...fields } = comment
    const undo = () =>
      void succeeds('restore the comment', client.review.comment({ taskId, ...fields }))
    toast('Removed the comment.', { action: { label: 'Undo', onClick: undo } })
  }
  if (editing)
    return (
      <CommentForm
        label="Change the comment"
        typed={typed}
        id={id}
        text={text}
        onSave={async (changed) => {
          const saved = await succeeds(
            'change the comment',
            client.review.changeComment({ taskId, commentId: id, text: changed }),
          )
          if (saved) setEditing(false)
          return saved
        }}
        onCancel={() => setEditing(false)}
      />
    )
  return (
    <article
      aria-label={`Comment on ${comment.line === 0 ? comment.path : `line ${comment.line}`}`}
      className="flex flex-col gap-1 rounded-md border bg-panel px-3 py-2 font-sans text-ui whitespace-normal"
    >
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{text}</p>
        {sent ? null : (
          <>
            <IconButton
              size="small"
              label="Change"
              icon={<Pencil />}
              onClick={() => setEditing(true)}
            />
            <IconButton
              size="small"
              label="Remove"
              icon={<Trash2 />}
              onClick={() => void remove()}
            />
          </>
        )}
      </div>
      {placed.line === null ? <LineText text={comment.lineText} /> : null}
      <p className="flex flex-wrap items-baseline gap-x-2 text-small text-muted empty:hidden">
        {sent ? (
          <span>
            Sent <RelativeTime at={sent.at} />
          </span>
        ) : null}
        {placed.note ? <span>{placed.note}</span> : null}
        {answer?.kind === 'turn' ? null : <ChangedBy placed={placed} onOpen={onOpen} />}
        {answer ? <AnswerText answer={answer} placed={placed} onOpen={onOpen} /> : null}
      </p>
    </article>
  )
}

/** Resolves with whether it succeeded; shows the problem if not. */
async function succeeds(doing: string, call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    showProblem(problemOf(error, doing))
    return false
  }
}

/** The commented line, where the diff does not show it. */
const LineText = ({ text }: { text: string }) =>
  text.trim() === '' ? null : (
    <code className="untrusted truncate font-mono text-code text-muted" dir="ltr">
      {text.trim()}
    </code>
  )

function ChangedBy({ placed, onOpen }: { placed: PlacedComment; onOpen(seq: number): void }) {
  const { changedBy, comment } = placed
  if (!changedBy) return null
  const { by, turn, seq } = changedBy
  if (by === 'outside') return <span>Changed outside of the agent’s turns.</span>
  if (turn === null || seq === null) return null
  return (
    <span>
      <TextButton onClick={() => onOpen(seq)}>Turn {turn}</TextButton> changed the{' '}
      {comment.line === 0 ? 'file' : 'line'}.
    </span>
  )
}

function AnswerText(props: {
  answer: Answer
  placed: PlacedComment
  onOpen(seq: number, taskId: TaskId): void
}) {
  const { answer, placed, onOpen } = props
  switch (answer.kind) {
    case 'waiting':
      return <span>Not answered yet.</span>
    case 'none':
      return <span>The run ended without an answer.</span>
    case 'turn':
      return (
        <span>
          Answered in{' '}
          <TextButton onClick={() => onOpen(answer.seq, answer.taskId)}>
            turn {answer.turn}
          </TextButton>
          , which changed the line.
        </span>
      )
    case 'turns': {
      const { first, last, taskId } = answer
      const unchanged = placed.isUnchanged ? ', without a change of the line' : ''
      return first.turn === last.turn ? (
        <span>
          Answered in{' '}
          <TextButton onClick={() => onOpen(last.seq, taskId)}>turn {last.turn}</TextButton>
          {unchanged}.
        </span>
      ) : (
        <span>
          Answered in{' '}
          <TextButton onClick={() => onOpen(first.seq, taskId)}>turns {first.turn}</TextButton> to{' '}
          <TextButton onClick={() => onOpen(last.seq, taskId)}>{last.turn}</TextButton>
          {unchanged}.
        </span>
      )
    }
  }
}
