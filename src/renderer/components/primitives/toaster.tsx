import { Toaster as Sonner } from 'sonner'

export { toast } from 'sonner'

/** Only for results of the user's own actions. Once per window. */
export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      // Sonner's default name for the region ends in its hotkey.
      customAriaLabel="Notifications"
      // Above a large dialog, which has no buttons in this corner, and behind a form, whose buttons must not be
      // covered.
      className="in-[body:has([data-dialog-size=small],[data-dialog-size=medium])]:z-30!"
      // Above the composer and what is asked or offered there, whose buttons are in this corner.
      offset={{ right: 24, bottom: 'calc(var(--toasts-above, 88px) + 16px)' }}
      // Undo is taken within this time: the default of four seconds is too short to read and decide.
      duration={10_000}
      visibleToasts={3}
      gap={8}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-[356px] items-center gap-2 rounded-md bg-raised px-3 py-2 text-ui text-ink shadow-popup',
          // One item per line; a long list is cut, because a toast is no report.
          description: 'line-clamp-6 text-small whitespace-pre-line text-muted',
          content: 'min-w-0 flex-1 untrusted',
          icon: 'shrink-0',
          success: '[&_[data-icon]]:text-green',
          error: '[&_[data-icon]]:text-red',
          warning: '[&_[data-icon]]:text-amber',
          cancelButton:
            'h-6 shrink-0 rounded-sm border border-line-strong px-2 text-small hover:bg-hover',
          actionButton:
            'h-6 shrink-0 rounded-sm border border-line-strong px-2 text-small hover:bg-hover',
        },
      }}
    />
  )
}
