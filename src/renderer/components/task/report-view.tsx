/** A report: the Markdown with which a run ended. */
import { Flag } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { LongMarkdown } from '../conversation/rows/long-markdown.tsx'
import { classNames, RelativeTime, TextButton } from '../primitives/index.ts'

/** Used in the agent's conversation, and in full in the archive. */
export function ReportView(props: {
  title: string
  markdown: string
  createdAt?: string
  /** Set for the report of a later run. */
  run?: number
  actions?: ReactNode
  /** Keeps how much of a long report is shown. */
  foldKey?: string
  className?: string
}) {
  const { title, markdown, createdAt, run, actions, foldKey, className } = props
  const titleId = useId()
  return (
    <article
      aria-labelledby={titleId}
      className={classNames('my-1 rounded-md border bg-canvas', className)}
    >
      <header className="flex min-h-9 items-center gap-2 border-b px-3 py-1.5">
        <Flag aria-hidden className="size-3.5 shrink-0 text-green" />
        <h2 id={titleId} className="untrusted min-w-0 flex-1 text-ui font-semibold" dir="auto">
          {title}
        </h2>
        {run && run > 1 ? <span className="text-small text-muted">run {run}</span> : null}
        {createdAt ? <RelativeTime at={createdAt} className="text-small text-muted" /> : null}
        {actions}
      </header>
      <div className="px-3 py-3">
        {markdown.trim() === '' ? (
          <p className="text-muted">The report is empty.</p>
        ) : (
          <LongMarkdown text={markdown} foldKey={foldKey} />
        )}
      </div>
    </article>
  )
}

/** 12 lines of reading text (UI, "Task card"). */
const foldedHeightPx = 12 * 21

/** Markdown folded after 12 lines. The caller keeps `open`. */
export function FoldedMarkdown(props: {
  markdown: string
  open: boolean
  onToggle(): void
  foldKey?: string
}) {
  const { markdown, open, onToggle, foldKey } = props
  const inner = useRef<HTMLDivElement>(null)
  const [tall, setTall] = useState(false)
  useLayoutEffect(() => {
    const element = inner.current
    if (!element) return
    const measure = () => setTall(element.offsetHeight > foldedHeightPx)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const folded = tall && !open
  return (
    <div>
      <div className="overflow-hidden" style={folded ? { maxHeight: foldedHeightPx } : undefined}>
        <div ref={inner} className="flow-root">
          <LongMarkdown text={markdown} foldKey={foldKey} />
        </div>
      </div>
      {tall ? (
        <TextButton aria-expanded={open} onClick={onToggle} className="mt-2 text-small">
          {open ? 'Show less' : 'Show the whole report'}
        </TextButton>
      ) : null}
    </div>
  )
}
