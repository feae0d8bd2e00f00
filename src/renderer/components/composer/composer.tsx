import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type Ref, useId } from 'react'
import { ariaKeys, Button, keysText } from '../primitives/index.ts'

const sendKeys = 'Mod+Enter'

/** The field for the next prompt. It grows with the text, up to a third of the window. */
export function Composer(props: {
  draft: string
  onDraftChange(draft: string): void
  /** Gets the draft, trimmed and never empty. The caller clears the draft once it is sent. */
  onSend(prompt: string): void
  /** The agent is running: text can be typed, and sent later. */
  running?: boolean
  /** Present while there is something to stop. */
  onStop?(): void
  sending?: boolean
  /** Why nothing can be sent or stopped right now. */
  unreachable?: string
  placeholder?: string
  /** Its name for a screen reader. */
  label?: string
  /** Shown below the text in place of the hint about the keys. */
  info?: ReactNode
  ref?: Ref<HTMLTextAreaElement>
}) {
  const { draft, onDraftChange, onSend, running = false, onStop, sending = false } = props
  const { placeholder = 'Send a follow-up', label = 'Prompt', info, unreachable, ref } = props
  const noteId = useId()
  const canSend = draft.trim() !== '' && !running && !sending && !unreachable
  const send = () => canSend && onSend(draft.trim())
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter alone is a new line; while an input method composes, it is not ours at all.
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing)
      return
    event.preventDefault()
    send()
  }
  return (
    <div className="rounded-md border border-line-field bg-raised has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-focus">
      <textarea
        ref={ref}
        aria-label={label}
        aria-describedby={noteId}
        aria-keyshortcuts={ariaKeys(sendKeys)}
        value={draft}
        rows={1}
        dir="auto"
        placeholder={placeholder}
        onChange={(event) => onDraftChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-[33vh] min-h-9 w-full resize-none bg-transparent px-3 pt-2 text-read outline-none [field-sizing:content]"
      />
      <div className="flex items-center gap-2 py-1.5 pr-1.5 pl-3">
        <span id={noteId} className="min-w-0 flex-1 truncate text-small text-muted">
          {info ??
            unreachable ??
            (running
              ? 'You can send this when the agent finishes'
              : `${keysText(sendKeys)} to send`)}
        </span>
        {running && onStop ? (
          <Button
            size="small"
            icon={<Square />}
            disabled={unreachable !== undefined}
            title={unreachable}
            onClick={onStop}
          >
            Stop
          </Button>
        ) : null}
        <Button
          size="small"
          variant="primary"
          icon={<ArrowUp />}
          busy={sending}
          title={unreachable}
          disabled={!canSend && !sending}
          onClick={send}
        >
          {sending ? 'Sending…' : 'Send'}
        </Button>
      </div>
    </div>
  )
}
