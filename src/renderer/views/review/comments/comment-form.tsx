import { useEffect, useRef, useState } from 'react'
import { commentCharsMax } from '../../../../shared/records/review-comments.ts'
import { Button, TextArea, toast } from '../../../components/primitives/index.ts'
import { focusOnceDrawn } from '../file/focus-once-drawn.ts'
import type { CommentDrafts } from './comment-drafts.ts'

/**
 * A form for one comment. Mod+Enter saves it, Escape closes it and keeps the text for the next time, Cancel discards it.
 * The text stays if it could not be saved.
 */
export function CommentForm(props: {
  label: string
  /** Kept outside, also because the diff renderer remounts all forms when a comment arrives. */
  typed: CommentDrafts
  id: string
  text?: string
  /** Resolves with whether it was saved. */
  onSave(text: string): Promise<boolean>
  onCancel(): void
}) {
  const { label, typed, id, onSave } = props
  const [text, setText] = useState(typed.get(id) ?? props.text ?? '')
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => (field.current ? focusOnceDrawn(field.current, () => true) : undefined), [])
  const save = async () => {
    if (text.trim() === '' || busy) return
    setBusy(true)
    if (await onSave(text.trim())) typed.delete(id)
    else setBusy(false)
  }
  const close = () => {
    if (text.trim() !== '' && text !== props.text)
      toast('Kept the text of the comment for later.', {
        action: { label: 'Discard', onClick: () => typed.delete(id) },
      })
    props.onCancel()
  }
  const cancel = () => {
    typed.delete(id)
    props.onCancel()
  }
  return (
    <div className="flex flex-col gap-2 rounded-md border bg-panel p-2 font-sans text-ui whitespace-normal">
      <TextArea
        ref={field}
        aria-label={label}
        rows={3}
        maxLength={commentCharsMax}
        value={text}
        onChange={(event) => {
          typed.set(id, event.target.value)
          setText(event.target.value)
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
          else if (event.key === 'Escape') close()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={cancel}>
          Cancel
        </Button>
        <Button
          size="small"
          variant="primary"
          busy={busy}
          disabled={text.trim() === ''}
          onClick={() => void save()}
        >
          Save comment
        </Button>
      </div>
    </div>
  )
}
