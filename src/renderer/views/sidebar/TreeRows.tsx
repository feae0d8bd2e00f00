import { ChevronRight, ScrollText } from 'lucide-react'
import type { ReactNode } from 'react'
import { isRunning, type Task } from '../../../shared/tasks.ts'
import {
  IconButton,
  RelativeTime,
  type ShownStatus,
  StatusIcon,
  StatusText,
} from '../../components/primitives/index.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import { useActivity, useOpenDependencies, useTask } from '../../store/hooks.ts'
import { isWaiting } from '../../store/resumable.ts'
import type { SidebarRow } from './rows.ts'

interface RowProps {
  selected: boolean
  /** The one row that Tab goes to. */
  tabStop: boolean
  onOpen(): void
  onFold(): void
}

/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 5

export function ProjectRow(props: RowProps & { row: Extract<SidebarRow, { kind: 'project' }> }) {
  const { row, ...rest } = props
  return (
    <TreeRow
      {...rest}
      id={row.id}
      level={1}
      folded={row.folded}
      foldable={row.hasChildren}
      height={28}
    >
      <span
        className="untrusted min-w-0 flex-1 truncate text-ui font-semibold"
        title={row.project.dir}
      >
        {row.project.name}
      </span>
      {row.folded && row.running > 0 ? (
        <span className="flex items-center gap-1 text-small text-muted">
          <StatusIcon status="spawned" className="size-3.5" />
          {row.running}
        </span>
      ) : null}
    </TreeRow>
  )
}

export function TaskRow(
  props: RowProps & { row: Extract<SidebarRow, { kind: 'task' }>; onViewTranscript(): void },
) {
  const { row, onViewTranscript, ...rest } = props
  const { task } = row
  const status = shownStatus(task, useTask(task.rootId))
  return (
    <TreeRow
      {...rest}
      id={row.id}
      level={row.level + 1}
      folded={row.folded}
      foldable={row.hasChildren}
      height={44}
    >
      <StatusIcon status={status} />
      <div className="min-w-0 flex-1">
        <p className="untrusted truncate" title={task.title}>
          {task.title}
        </p>
        <p className="truncate text-small text-muted">
          <SecondLine task={task} status={status} />
        </p>
      </div>
      {task.hasTranscript ? (
        // For the mouse; `t` does the same, so a reader of the tree hears titles only.
        <span aria-hidden className="hidden shrink-0 group-hover/row:block">
          <IconButton
            size="small"
            tabIndex={-1}
            label={`View transcript of ${task.title}`}
            icon={<ScrollText />}
            onClick={(event) => {
              event.stopPropagation()
              onViewTranscript()
            }}
          />
        </span>
      ) : null}
    </TreeRow>
  )
}

/** What it is doing now, or how long ago it stopped. */
function SecondLine({ task, status }: { task: Task; status: ShownStatus }) {
  const activity = useActivity(task.id)
  const waitsFor = useOpenDependencies(task)
  if (isRunning(task.status)) return <span dir="auto">{activity ?? 'Working'}</span>
  if (isWaiting(task, activity)) return waitsFor.length > 0 ? waits(waitsFor) : activity
  if (task.status === 'queued' && waitsFor.length > 0) return waits(waitsFor)
  if (task.status === 'blocked' && task.error)
    return (
      <>
        <StatusText status={status} className="text-muted!" />: {task.error}
      </>
    )
  const at = task.endedAt ?? task.createdAt
  return (
    <>
      <StatusText status={status} className="text-muted!" /> <RelativeTime at={at} />
    </>
  )
}

const waits = (tasks: Task[]): string => `Waits for ${tasks.map(({ title }) => title).join(', ')}`

function TreeRow(
  props: RowProps & {
    id: string
    /** From 1. */
    level: number
    folded: boolean
    foldable: boolean
    height: number
    children: ReactNode
  },
) {
  const { id, level, folded, foldable, height, selected, tabStop, onOpen, onFold, children } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      role="treeitem"
      data-row={id}
      aria-level={level}
      aria-selected={selected}
      aria-expanded={foldable ? !folded : undefined}
      tabIndex={tabStop ? 0 : -1}
      onClick={onOpen}
      style={{ height, paddingLeft: 4 + Math.min(level - 1, indentLevelsMax) * 14 }}
      className={`group/row focus-inset flex items-center gap-1.5 pr-3 select-none ${selected ? 'bg-accent-tint' : 'hover:bg-hover'}`}
    >
      <span
        aria-hidden
        className="flex size-5 shrink-0 items-center justify-center rounded-sm text-faint hover:text-ink"
        onClick={(event) => {
          if (!foldable) return
          event.stopPropagation()
          onFold()
        }}
      >
        {foldable ? (
          <ChevronRight className={`size-3.5 transition-transform ${folded ? '' : 'rotate-90'}`} />
        ) : null}
      </span>
      {children}
    </div>
  )
}
