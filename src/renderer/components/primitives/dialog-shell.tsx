import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { classNames } from './class-names.ts'
import { IconButton } from './icon-button.tsx'

/**
 * The one dialog of a window: never open a second over it, change what is in it (UI, "Transcript").
 * `large` fills the window but for a margin; `small` and
 * `medium` are as high as what they hold. The title is always
 * there for a screen reader; `header` takes its place for the eye.
 */
export function DialogShell(props: {
  open: boolean
  /** Esc, the close button and a click outside ask for it. A view may go up one level instead. */
  onClose(reason: 'escape' | 'other'): void
  title: string
  header?: ReactNode
  footer?: ReactNode
  size?: 'large' | 'medium' | 'small'
  /** The children bring a `DialogBody` of their own: one whose footer changes with what is in it. */
  bare?: boolean
  /**
   * What has the focus at first: the dialog itself where its first control is not what it is for. Not by
   * `autoFocus`, which takes it before the dialog knows where to give it back.
   */
  focus?: 'first-control' | 'dialog' | RefObject<HTMLElement | null>
  children: ReactNode
}) {
  const { open, onClose, title, header, footer, size = 'large', children } = props
  const { focus = 'first-control', bare = false } = props
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next, details) => {
        if (!next) onClose(details.reason === 'escape-key' ? 'escape' : 'other')
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
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
            <div className="flex min-h-11 shrink-0 items-center gap-2 border-b pr-11 pl-4">
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
            {/* Last, so that the focus begins at what the dialog is for. */}
            <Dialog.Close
              render={<IconButton label="Close" shortcut="Esc" icon={<X />} />}
              className="absolute top-2 right-2"
            />
          </Dialog.Popup>
        </div>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What scrolls in a dialog, and what stays below it. */
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

/** What it is about, read out with its title. */
export function DialogDescription(props: { className?: string; children: ReactNode }) {
  return <Dialog.Description {...props} />
}
