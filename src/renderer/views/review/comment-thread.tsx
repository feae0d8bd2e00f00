/** The comments on one place of a file, and the form of the one that is being written. */
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { PatchLine } from '../../components/diff/file-patch.tsx'
import { IconButton, RelativeTime } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import type { ReviewComment } from '../../store/review/review-comments.ts'
import { CommentForm } from './comment-form.tsx'

export function CommentThread(props: {
  taskId: TaskId
  path: string
  /** `line` 0: the file as a whole. */
  at: PatchLine
  comments: readonly ReviewComment[]
  writing: boolean
  onSave(text: string): void
  onCancel(): void
}) {
  const { taskId, path, at, comments, writing, onSave, onCancel } = props
  return (
    <div className="flex flex-col gap-2 px-3 py-2">
      {comments.map((comment) => (
        <Comment key={comment.id} taskId={taskId} comment={comment} />
      ))}
      {writing ? (
        <CommentForm
          label={at.line === 0 ? `Comment on ${path}` : `Comment on line ${at.line}`}
          onSave={onSave}
          onCancel={onCancel}
        />
      ) : null}
    </div>
  )
}

export function Comment({ taskId, comment }: { taskId: TaskId; comment: ReviewComment }) {
  const { reviewComments } = useStores()
  const [editing, setEditing] = useState(false)
  const { id, text, sent } = comment
  if (editing)
    return (
      <CommentForm
        label="Change the comment"
        text={text}
        onSave={(changed) => {
          reviewComments.change(taskId, id, changed)
          setEditing(false)
        }}
        onCancel={() => setEditing(false)}
      />
    )
  return (
    <article
      aria-label={`Comment on ${comment.line === 0 ? comment.path : `line ${comment.line}`}`}
      className="flex items-start gap-2 rounded-md border bg-panel px-3 py-2 font-sans text-ui whitespace-normal"
    >
      <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{text}</p>
      {sent ? (
        <span className="shrink-0 text-small text-muted">
          sent <RelativeTime at={new Date(sent.at).toISOString()} />
        </span>
      ) : (
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
            onClick={() => reviewComments.remove(taskId, id)}
          />
        </>
      )}
    </article>
  )
}
