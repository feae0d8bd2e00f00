import { ArrowUp, ChevronDown, FileCheck, ListPlus, Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type Ref, useId, useRef } from 'react'
import { classNames } from '../primitives/class-names.ts'
import { ariaKeys, Button, IconButton, keysText, Menu } from '../primitives/index.ts'
import {
  AttachButton,
  AttachmentStrip,
  type PromptAttachments,
  useImageDrop,
} from './attachment-strip.tsx'
import type { ComposerCommand } from './completion.ts'
import { CompletionList } from './completion-list.tsx'
import { useCompletion } from './use-completion.ts'
import { useRecall } from './use-recall.ts'

/** The field for the next prompt. It grows with the text, up to a third of the window. */
export function Composer(props: {
  draft: string
  onDraftChange(draft: string): void
  /**
   * Called with the trimmed draft, which is empty only if images are attached. The caller clears
   * the draft once it is sent.
   */
  onSend(prompt: string): void
  /** The key that sends, besides Mod+Enter. Shift+Enter always begins a new line. */
  sendKey?: 'Mod+Enter' | 'Enter'
  /** Whether the agent is running: a prompt then waits for the end of its run. */
  running?: boolean
  /** Earlier prompts, newest first: ArrowUp at the start of the text recalls them. */
  history?: readonly string[]
  /** Sends to the running agent before its next step. Present if the agent reads messages. */
  onSendNow?(prompt: string): void
  /** Whether `onSend` itself sends to the running agent, so that nothing is queued. */
  sendsNow?: boolean
  /** Present if there is a run to stop. */
  onStop?(): void
  /** Requests a report now. */
  onWrapUp?(): void
  sending?: boolean
  /** Why nothing can be sent or stopped now. */
  unreachable?: string
  placeholder?: string
  /** The accessible name. */
  label?: string
  /** Shown below the text instead of the hint about the keys. */
  info?: ReactNode
  /** Small controls below the text for the settings of the next run. */
  controls?: ReactNode
  /** Returns the file paths offered after `@`, best first. */
  findFiles?(query: string): Promise<string[]>
  /** Present if the agent accepts images. */
  attachments?: PromptAttachments
  /** Offered after a `/` at the beginning. */
  commands?: readonly ComposerCommand[]
  ref?: Ref<HTMLTextAreaElement>
}) {
  const { draft, onDraftChange, onSend, running = false, onStop, sending = false } = props
  const {
    placeholder = 'Send a follow-up',
    label = 'Prompt',
    info,
    controls,
    onSendNow,
    onWrapUp,
    sendKey = 'Mod+Enter',
    sendsNow = false,
    unreachable,
    ref,
  } = props
  const queues = running && !sendsNow
  const noteId = useId()
  const recall = useRecall(props)
  const field = useRef<HTMLTextAreaElement>(null)
  const { findFiles, commands } = props
  const completion = useCompletion({ draft, onDraftChange, field, findFiles, commands })
  const { options } = completion
  const { attachments } = props
  const imageDrop = useImageDrop(attachments)
  const isEmpty = draft.trim() === '' && !attachments?.images.length
  const canSend = !isEmpty && !sending && !unreachable
  const send = () => {
    if (!canSend) return
    completion.close()
    const command = commands?.find(({ name }) => draft.trim() === `/${name}`)
    if (command) {
      onDraftChange('')
      return command.run()
    }
    recall.end()
    onSend(draft.trim())
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // During input method composition, no key is handled here.
    if (event.nativeEvent.isComposing || completion.onKeyDown(event)) return
    if (recall.onKeyDown(event)) return
    if (event.key !== 'Enter' || event.shiftKey) return
    if (sendKey !== 'Enter' && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    send()
  }
  return (
    <div
      {...imageDrop.handlers}
      className={classNames(
        'relative rounded-md border border-line-field bg-raised has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-focus',
        imageDrop.isOver && 'outline-2 outline-focus outline-dashed',
      )}
    >
      <CompletionList completion={completion} />
      {attachments ? <AttachmentStrip attachments={attachments} /> : null}
      <textarea
        ref={(element) => {
          field.current = element
          if (typeof ref === 'function') return ref(element)
          if (ref) ref.current = element
        }}
        aria-autocomplete={findFiles || commands ? 'list' : undefined}
        aria-haspopup={findFiles || commands ? 'listbox' : undefined}
        aria-controls={options?.length ? completion.listId : undefined}
        aria-activedescendant={options?.[completion.active]?.id}
        aria-label={label}
        aria-describedby={noteId}
        aria-keyshortcuts={ariaKeys(sendKey)}
        value={draft}
        rows={1}
        dir="auto"
        placeholder={placeholder}
        onChange={(event) => {
          onDraftChange(event.target.value)
          completion.onCaret()
        }}
        onKeyDown={onKeyDown}
        onSelect={completion.onCaret}
        onBlur={completion.close}
        className="block max-h-[33vh] min-h-9 w-full resize-none bg-transparent px-3 pt-2 text-read outline-none [field-sizing:content]"
      />
      <div
        className={classNames(
          'flex items-center gap-2 py-1.5 pr-1.5',
          controls ? 'pl-1.5' : 'pl-3',
        )}
      >
        {attachments ? <AttachButton attachments={attachments} /> : null}
        {controls}
        <span
          id={noteId}
          className={classNames(
            'min-w-0 flex-1 truncate text-small text-muted',
            controls !== undefined && 'text-right',
          )}
        >
          {info ??
            unreachable ??
            (sendsNow
              ? 'Read before its next step'
              : queues
                ? `${keysText(sendKey)} to queue it`
                : `${keysText(sendKey)} to send`)}
        </span>
        {running && onStop ? (
          <StopButtons onStop={onStop} onWrapUp={onWrapUp} unreachable={unreachable} />
        ) : null}
        {running && onSendNow ? (
          <Button
            size="small"
            icon={<ArrowUp />}
            title={unreachable ?? 'The agent reads it before its next step'}
            disabled={!canSend}
            onClick={() => {
              recall.end()
              onSendNow(draft.trim())
            }}
          >
            Send now
          </Button>
        ) : null}
        <Button
          size="small"
          variant="primary"
          icon={queues ? <ListPlus /> : <ArrowUp />}
          busy={sending}
          title={unreachable}
          disabled={!canSend && !sending}
          onClick={send}
        >
          {sending ? 'Sending…' : queues ? 'Queue' : 'Send'}
        </Button>
      </div>
    </div>
  )
}

function StopButtons(props: {
  onStop(): void
  onWrapUp: (() => void) | undefined
  unreachable: string | undefined
}) {
  const { onStop, onWrapUp, unreachable } = props
  const disabled = unreachable !== undefined
  return (
    <>
      <Button
        size="small"
        icon={<Square />}
        disabled={disabled}
        title={unreachable}
        onClick={onStop}
      >
        Stop
      </Button>
      {onWrapUp ? (
        <Menu
          align="end"
          trigger={
            <IconButton
              size="small"
              label="More ways to stop"
              icon={<ChevronDown />}
              disabled={disabled}
              className="-ml-1.5"
            />
          }
          entries={[
            { label: 'Stop now', icon: <Square />, onSelect: onStop },
            { label: 'Wrap up: report now', icon: <FileCheck />, onSelect: onWrapUp },
          ]}
        />
      ) : null}
    </>
  )
}
