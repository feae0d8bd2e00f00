import { ChevronLeft, ChevronRight, Maximize2, Minimize2 } from 'lucide-react'
import type { StoreApi } from 'zustand/vanilla'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  Button,
  IconButton,
  StatusIcon,
  StatusText,
  TitleText,
} from '../../components/primitives/index.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import { TaskElapsed } from '../../components/task/task-elapsed.tsx'
import { useConnectionLost } from '../../store/hooks.ts'
import type { Route } from '../../store/window/route.ts'
import { useTaskActions } from '../actions/use-task-actions.tsx'
import { TreeCost } from '../limits/tree-cost.tsx'
import { Breadcrumb } from '../task/breadcrumb.tsx'
import { TreeChangedFiles } from '../task/tree-changed-files.tsx'
import type { ReadingPosition } from './reading.ts'
import { TranscriptTools } from './transcript-tools.tsx'
import type { TranscriptPanes } from './use-panes.ts'

/** What can be done about a run that is going on or was interrupted. */
function RunButtons({ task }: { task: Task }) {
  const actions = useTaskActions()(task).filter(({ id }) => id === 'stop' || id === 'resume')
  return actions.map(({ id, label, icon, disabled, run }) => (
    <Button key={id} size="small" icon={icon} disabled={disabled} onClick={run}>
      {label}
    </Button>
  ))
}

/** The header of a transcript in its dialog or full screen: its place in the tree, its status, what it and its sub-agents used, and its tools. */
export function TranscriptHeader(props: {
  task: Task
  lineage: Task[]
  /** The route to another transcript of the tree. */
  routeOf(id: TaskId): Route
  position: { at: number; of: number } | null
  onGoTo(index: number): void
  panes: TranscriptPanes
  reading: StoreApi<ReadingPosition>
  replaying: boolean
  onReplay(): void
  isFullScreen: boolean
  onFullScreen(): void
}) {
  const { task, lineage, routeOf, position, onGoTo, panes, reading } = props
  const { replaying, onReplay, isFullScreen, onFullScreen } = props
  const lost = useConnectionLost()
  const status = shownStatus(task, lineage[0] ?? null)
  return (
    <div className="@container min-w-0">
      {/* In a narrow window the buttons wrap below the title. */}
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <nav aria-label="Parents" className="min-w-0 flex-1 basis-56">
          <Breadcrumb ancestors={lineage.slice(0, -1)} routeOf={({ id }) => routeOf(id)}>
            <li aria-current="page" className="max-w-[60%] min-w-24 shrink-0 font-semibold">
              <TitleText title={task.title} />
            </li>
          </Breadcrumb>
        </nav>
        <span className="flex shrink-0 items-center gap-1.5 text-small">
          <StatusIcon status={status} decorative />
          <StatusText status={status} />
          {isRunning(task.status) ? (
            <span className="text-muted">{lost ? '· when last seen' : '· live'}</span>
          ) : null}
        </span>
        {/* A replay states what was used until its moment. */}
        {replaying ? null : (
          <span className="flex shrink-0 items-center gap-2 text-small whitespace-nowrap text-muted empty:hidden @max-[56rem]:order-last @max-[56rem]:basis-full">
            <TaskElapsed task={task} />
            <TreeCost task={task} />
            <TreeChangedFiles task={task} />
          </span>
        )}
        {replaying ? null : <RunButtons task={task} />}
        <span className="flex shrink-0 items-center">
          {position && position.of > 1 ? (
            <>
              <IconButton
                label="Previous sibling"
                shortcut="["
                icon={<ChevronLeft />}
                disabled={position.at === 0}
                onClick={() => onGoTo(position.at - 1)}
              />
              <span className="tabular text-small text-muted">
                {position.at + 1} of {position.of}
              </span>
              <IconButton
                label="Next sibling"
                shortcut="]"
                icon={<ChevronRight />}
                disabled={position.at === position.of - 1}
                onClick={() => onGoTo(position.at + 1)}
              />
            </>
          ) : null}
          <TranscriptTools
            task={task}
            route={routeOf(task.id)}
            scope={isFullScreen ? 'window' : 'dialog'}
            panes={panes}
            reading={reading}
            replaying={replaying}
            replayKey={isFullScreen ? undefined : 'p'}
            onReplay={onReplay}
          >
            <IconButton
              label={isFullScreen ? 'Leave full screen' : 'Full screen'}
              shortcut={isFullScreen ? 'Esc' : 'w'}
              icon={isFullScreen ? <Minimize2 /> : <Maximize2 />}
              onClick={onFullScreen}
            />
          </TranscriptTools>
        </span>
      </div>
    </div>
  )
}
