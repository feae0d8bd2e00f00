/** A task's status by shape *and* color, the same everywhere (UI, "Status"). */
import type { ReactNode } from 'react'
import type { TaskStatus } from '../../../shared/records/tasks/task-status.ts'
import { classNames } from './class-names.ts'

/**
 * `waiting`: for the user. `not-started`: queued, and nothing will start it. `partly-interrupted`:
 * it completed, and some of its sub-agents are still interrupted. `sleeping`: it waits for a spent
 * quota and continues automatically.
 */
export type ShownStatus = TaskStatus | 'waiting' | 'not-started' | 'partly-interrupted' | 'sleeping'

interface Look {
  label: string
  colour: string
  shape: ReactNode
  turns?: true
}

const circle = { cx: 8, cy: 8, r: 5.25 }
const dashedCircle = <circle {...circle} strokeDasharray="2.1 2.02" />
const running = (
  <>
    <circle {...circle} />
    <path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor" stroke="none" />
  </>
)
const dash = <path d="M4 8h8" />

const looks: Record<ShownStatus, Look> = {
  queued: { label: 'Queued', colour: 'text-faint', shape: dashedCircle },
  'not-started': { label: 'Not started', colour: 'text-faint', shape: dashedCircle },
  spawned: { label: 'Running', colour: 'text-accent', shape: running, turns: true },
  resumed: { label: 'Running again', colour: 'text-accent', shape: running, turns: true },
  waiting: {
    label: 'Waiting for you',
    colour: 'text-amber',
    shape: <circle cx={8} cy={8} r={4.25} fill="currentColor" stroke="none" />,
  },
  completed: {
    label: 'Completed',
    colour: 'text-green',
    shape: <path d="m3.25 8.5 3.1 3.25 6.4-7.5" />,
  },
  'partly-interrupted': {
    label: 'Completed, with interrupted sub-agents',
    colour: 'text-amber',
    shape: (
      <>
        <path d="m1.75 7.25 2.5 2.75 4.75-6" className="text-green" stroke="currentColor" />
        <g fill="currentColor" stroke="none">
          <rect x={9.5} y={7} width={2} height={7} rx={0.6} />
          <rect x={12.75} y={7} width={2} height={7} rx={0.6} />
        </g>
      </>
    ),
  },
  interrupted: {
    label: 'Interrupted',
    colour: 'text-amber',
    shape: (
      <g fill="currentColor" stroke="none">
        <rect x={4} y={3.5} width={2.75} height={9} rx={0.75} />
        <rect x={9.25} y={3.5} width={2.75} height={9} rx={0.75} />
      </g>
    ),
  },
  sleeping: {
    label: 'Sleeping',
    colour: 'text-accent',
    shape: <path d="M13 9.6A5.5 5.5 0 1 1 6.4 3a4.4 4.4 0 0 0 6.6 6.6z" />,
  },
  blocked: {
    label: 'Blocked',
    colour: 'text-faint',
    shape: (
      <>
        <circle {...circle} />
        <path d="m4.3 4.3 7.4 7.4" />
      </>
    ),
  },
  failed: { label: 'Failed', colour: 'text-red', shape: <path d="m4 4 8 8m0-8-8 8" /> },
  cancelled: { label: 'Cancelled', colour: 'text-faint', shape: dash },
  abandoned: { label: 'Abandoned', colour: 'text-faint', shape: dash },
}

export const statusLabel = (status: ShownStatus): string => looks[status].label

/** `decorative`: the word is shown next to it, so that a screen reader reads it once. */
export function StatusIcon(props: {
  status: ShownStatus
  decorative?: boolean
  /** 14 px, for a line of small text. */
  small?: boolean
  className?: string
}) {
  const { status, decorative = false, small = false, className } = props
  const { label, colour, shape, turns } = looks[status]
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has one unless its word stands beside it
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      data-status={status}
      {...(decorative ? { 'aria-hidden': true } : { role: 'img' })}
      className={classNames(
        small ? 'size-3.5' : 'size-4',
        'shrink-0',
        colour,
        // Rotates the whole image and not its contents, which are then drawn only once.
        turns && 'animate-turning motion-reduce:animate-none',
        className,
      )}
    >
      {decorative ? null : <title>{label}</title>}
      {shape}
    </svg>
  )
}

export function StatusText({ status, className }: { status: ShownStatus; className?: string }) {
  const { label, colour } = looks[status]
  return (
    <span data-status-text={status} className={classNames('whitespace-nowrap', colour, className)}>
      {label}
    </span>
  )
}
