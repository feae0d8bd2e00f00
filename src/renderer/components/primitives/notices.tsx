import { CircleAlert, Info, TriangleAlert, X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button, TextButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { IconButton } from './icon-button.tsx'

type NoticeTone = 'info' | 'warning' | 'error'

const tones = {
  info: { icon: Info, colour: 'text-muted' },
  warning: { icon: TriangleAlert, colour: 'text-amber' },
  error: { icon: CircleAlert, colour: 'text-red' },
} as const

/** One quiet line in its context, with Details and an optional action (UI, "Notices"). */
export function NoticeLine(props: {
  tone: NoticeTone
  text: string
  /** One line each. */
  details?: string[]
  action?: { label: string; onClick(): void }
  onDismiss?(): void
  className?: string
}) {
  const { tone, text, details = [], action, onDismiss, className } = props
  const [open, setOpen] = useState(false)
  const detailsId = useId()
  const { icon: Icon, colour } = tones[tone]
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={classNames('flex gap-2 py-1 text-ui text-muted', className)}
    >
      <Icon aria-hidden className={`mt-[3px] size-3.5 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        {/* Margins on the right, so that a wrapped button is aligned with the text. */}
        <span className="untrusted mr-2">{text}</span>
        {details.length > 0 ? (
          <TextButton
            className="mr-2"
            aria-expanded={open}
            aria-controls={detailsId}
            onClick={() => setOpen(!open)}
          >
            Details
          </TextButton>
        ) : null}
        {action ? <TextButton onClick={action.onClick}>{action.label}</TextButton> : null}
        {open ? (
          <ul id={detailsId} className="mt-1 space-y-0.5 text-small">
            {details.map((line) => (
              <li key={line} className="untrusted">
                {line}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      {onDismiss ? (
        <IconButton
          size="small"
          label="Dismiss"
          icon={<X />}
          onClick={onDismiss}
          className="-my-0.5"
        />
      ) : null}
    </div>
  )
}

/** Shows the error, the next step, and Copy details. */
export function ErrorNotice(props: {
  what: string
  /** Null if `what` already includes it. */
  next: string | null
  /** The data for a bug report. */
  details?: string
  action?: { label: string; onClick(): void }
  className?: string
}) {
  const { what, next, details, action, className } = props
  return (
    <div
      role="alert"
      className={classNames('flex gap-2 rounded-md bg-red-tint px-3 py-2 text-ui', className)}
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-red" />
      <div className="min-w-0 flex-1">
        <p className="untrusted font-semibold text-ink">{what}</p>
        {next ? <p className="untrusted text-ink">{next}</p> : null}
        {details || action ? (
          <div className="mt-1 flex gap-3">
            {action ? <TextButton onClick={action.onClick}>{action.label}</TextButton> : null}
            {details ? <CopyButton look="text" label="Copy details" text={details} /> : null}
          </div>
        ) : null}
      </div>
    </div>
  )
}

/** One sentence and one button; a second, quieter button if there are two ways to start. */
export function EmptyState(props: {
  /** The heading of an otherwise empty screen. */
  title?: string
  sentence: string
  action?: { label: string; onClick(): void; busy?: boolean }
  secondAction?: { label: string; onClick(): void }
  children?: ReactNode
}) {
  const { title, sentence, action, secondAction, children } = props
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-8 text-center">
      {title ? <h1 className="text-title font-semibold">{title}</h1> : null}
      <p className="max-w-[420px] text-read text-balance text-muted">{sentence}</p>
      {action || secondAction ? (
        <div className="flex gap-2">
          {action ? (
            <Button variant="primary" onClick={action.onClick} busy={action.busy}>
              {action.label}
            </Button>
          ) : null}
          {secondAction ? (
            <Button onClick={secondAction.onClick}>{secondAction.label}</Button>
          ) : null}
        </div>
      ) : null}
      {children}
    </div>
  )
}

/** Grey lines in place of text that is being loaded. */
export function Skeleton({ lines = 3, className }: { lines?: number; className?: string }) {
  return (
    <div aria-hidden className={classNames('space-y-2', className)}>
      {Array.from({ length: lines }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
          key={index}
          className="h-3 animate-breathe rounded-sm bg-hover motion-reduce:animate-none"
          style={{ width: `${[92, 78, 85, 60][index % 4]}%` }}
        />
      ))}
    </div>
  )
}
