import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { classNames } from './class-names.ts'
import { useFinalFocus } from './final-focus.ts'
import { IconButton } from './icon-button.tsx'

/**
 * A dialog of the window. Only a transcript's dialog may have another one above it, as its `over`; elsewhere, change the
 * content instead of opening a second one (UI, "Transcript"). `large` fills the window except for a margin; `small` and
 * `medium` are as high as their content. Screen readers always get the title; `header` replaces it visually.
 */
export function DialogShell(props: {
  open: boolean
  /** Called for Esc, the close button and a click outside. A view may go up one level instead. */
  onClose(reason: 'escape' | 'other'): void
  title: string
  header?: ReactNode
  footer?: ReactNode
  size?: 'large' | 'medium' | 'small'
  /** The children include their own `DialogBody`, whose footer changes with its content. */
  bare?: boolean
  /**
   * The initial focus: the dialog itself if its first control is not its purpose. Not by
   * `autoFocus`, which takes the focus before the dialog has recorded where to return it.
   */
  focus?: 'first-control' | 'dialog' | RefObject<HTMLElement | null>
  /** Called for Ctrl or Cmd with Enter, wherever in the dialog the focus is: also on a button of its footer. */
  onModEnter?(): void
  /** A dialog above this one, which stays mounted with its content and scroll positions. */
  over?: ReactNode
  children: ReactNode
}) {
  const { open, onClose, title, header, footer, size = 'large', over, children } = props
  const { focus = 'first-control', bare = false, onModEnter } = props
  const popup = useRef<HTMLDivElement>(null)
  const finalFocus = useFinalFocus(popup)
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next, details) => {
        if (!next) onClose(details.reason === 'escape-key' ? 'escape' : 'other')
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className="fixed inset-0 z-40 bg-scrim" />
        <div
          className={classNames(
            'pointer-events-none fixed z-40 flex flex-col items-center',
            size === 'large'
              ? 'inset-3 sm:inset-6'
              : // The gap above shrinks before the dialog does.
                'inset-x-4 inset-y-6 before:h-[calc(12vh-24px)] before:shrink-[1000]',
          )}
        >
          <Dialog.Popup
            ref={popup}
            data-dialog-size={size}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onModEnter) return
              event.preventDefault()
              if (!event.repeat) onModEnter()
            }}
            finalFocus={finalFocus}
            initialFocus={
              focus === 'dialog' ? popup : focus === 'first-control' ? undefined : focus
            }
            className={classNames(
              'pointer-events-auto relative flex min-h-0 w-full flex-col overflow-hidden rounded-md bg-canvas text-ink shadow-popup outline-none',
              size === 'large' && 'max-w-[1160px] flex-1',
              size === 'medium' && 'max-w-[640px]',
              size === 'small' && 'max-w-[520px]',
            )}
          >
            <div className="flex min-h-11 shrink-0 items-center gap-2 border-b py-1 pr-11 pl-4">
              {header ? (
                <>
                  <Dialog.Title className="sr-only">{title}</Dialog.Title>
                  <div className="min-w-0 flex-1">{header}</div>
                </>
              ) : (
                <Dialog.Title className="untrusted min-w-0 flex-1 truncate text-title font-semibold">
                  {title}
                </Dialog.Title>
              )}
            </div>
            {bare ? children : <DialogBody footer={footer}>{children}</DialogBody>}
            {/* Last, so that the initial focus is on the content. */}
            <Dialog.Close
              render={<IconButton label="Close" shortcut="Esc" icon={<X />} />}
              className="absolute top-2 right-2"
            />
          </Dialog.Popup>
        </div>
      </Dialog.Portal>
      {over}
    </Dialog.Root>
  )
}

/** The scrolling part of a dialog, and the fixed part below it. */
export function DialogBody({ footer, children }: { footer?: ReactNode; children: ReactNode }) {
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col overflow-auto">{children}</div>
      {footer ? (
        <div className="flex shrink-0 items-center justify-end gap-2 border-t px-4 py-3">
          {footer}
        </div>
      ) : null}
    </>
  )
}

/** The description, read out with its title. */
export function DialogDescription(props: { className?: string; children: ReactNode }) {
  return <Dialog.Description {...props} />
}
