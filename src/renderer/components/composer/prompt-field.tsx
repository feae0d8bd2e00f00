import { type ComponentProps, type Ref, useRef } from 'react'
import { classNames } from '../primitives/class-names.ts'
import { TextArea } from '../primitives/index.ts'
import {
  AttachButton,
  AttachmentStrip,
  type PromptAttachments,
  useImageDrop,
} from './attachment-strip.tsx'
import { CompletionList } from './completion-list.tsx'
import { useCompletion } from './use-completion.ts'

/** The prompt of a new agent in a form; its Field provides the name. */
export function PromptField(props: {
  value: string
  onChange(value: string): void
  /** Returns the file paths offered after `@`, best first. Absent: no completion. */
  findFiles?: ((query: string) => Promise<string[]>) | undefined
  /** Present if the agent accepts images. */
  attachments?: PromptAttachments | undefined
  placeholder: string
  ref: Ref<HTMLTextAreaElement>
}) {
  const { value, onChange, findFiles, attachments, placeholder, ref } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const completion = useCompletion({ draft: value, onDraftChange: onChange, field, findFiles })
  const imageDrop = useImageDrop(attachments)
  const { options, listId, active } = completion
  const listed: ComponentProps<'textarea'> = findFiles
    ? {
        'aria-autocomplete': 'list',
        'aria-haspopup': 'listbox',
        'aria-controls': options?.length ? listId : undefined,
        'aria-activedescendant': options?.[active]?.id,
      }
    : {}
  return (
    <div {...imageDrop.handlers} className="flex flex-col gap-1">
      <div className="relative flex flex-col">
        <TextArea
          {...listed}
          ref={(element) => {
            field.current = element
            if (typeof ref === 'function') return ref(element)
            if (ref) ref.current = element
          }}
          value={value}
          onChange={(event) => {
            onChange(event.target.value)
            completion.onCaret()
          }}
          onKeyDown={(event) => {
            if (!event.nativeEvent.isComposing) completion.onKeyDown(event)
          }}
          onSelect={completion.onCaret}
          onBlur={completion.close}
          rows={3}
          placeholder={placeholder}
          className={classNames(imageDrop.isOver && 'outline-2 outline-focus outline-dashed')}
        />
        <CompletionList completion={completion} below />
      </div>
      {attachments ? (
        <>
          <AttachmentStrip attachments={attachments} />
          <div className="flex items-center gap-1 text-small text-muted">
            <AttachButton attachments={attachments} />
            Refer to files with @. Paste or drop images.
          </div>
        </>
      ) : null}
    </div>
  )
}
