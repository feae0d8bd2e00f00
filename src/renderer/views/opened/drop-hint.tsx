/** Covers the window while a log is dragged over it. */
export function DropHint() {
  return (
    <div aria-hidden className="pointer-events-none fixed inset-0 z-50 bg-scrim p-2">
      <div className="flex size-full items-center justify-center rounded-md border-2 border-dashed border-accent">
        <p className="rounded-md border bg-raised px-4 py-2 font-semibold">Drop to open the log</p>
      </div>
    </div>
  )
}
