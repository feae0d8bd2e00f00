import { ScrollText } from 'lucide-react'
import type { ReactNode } from 'react'
import { activityText } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  IconButton,
  RelativeTime,
  type ShownStatus,
  StatusIcon,
  StatusText,
  TitleText,
} from '../../components/primitives/index.ts'
import { plainCause } from '../../components/task/plain-cause.ts'
import { sleepingUntil } from '../../components/task/sleep-text.ts'
import { useActivity, useOpenDependencies, useStores } from '../../store/hooks.ts'
import { isWaiting } from '../../store/resume/resumable.ts'
import type { ProjectRow, SidebarRow, TaskRow } from './rows.ts'

/** One function for all rows, so that a row that has not changed is not rendered again. */
export const renderSidebarRow = (row: SidebarRow): ReactNode =>
  row.kind === 'project' ? <ProjectLine row={row} /> : <TaskLine row={row} />

function ProjectLine({ row }: { row: ProjectRow }) {
  const { project, label, running } = row
  return (
    <>
      <span className="untrusted min-w-0 flex-1 truncate text-ui font-semibold" title={project.dir}>
        {label}
      </span>
      {running > 0 ? <RunningCount count={running} /> : null}
    </>
  )
}

function TaskLine({ row }: { row: TaskRow }) {
  const { task, compact, unread, folded } = row
  const { state } = useActivity(task.id) ?? {}
  const asking = state === 'asking' || state === 'paused'
  const status = asking ? 'waiting' : statusOf(row)
  return (
    <>
      <StatusIcon status={status} />
      <div className="min-w-0 flex-1">
        <TitleText title={task.title} className={unread ? 'font-semibold' : ''} />
        {compact ? null : (
          <p className="truncate text-small text-muted">
            <SecondLine row={row} status={status} />
          </p>
        )}
      </div>
      {task.hasTranscript ? <TranscriptButton task={task} /> : null}
      {folded ? <BelowCount row={row} /> : null}
      {unread ? (
        <span
          role="img"
          aria-label="Unread"
          className="size-2 shrink-0 rounded-full bg-accent forced-color-adjust-none"
        />
      ) : null}
      {compact && task.endedAt ? (
        <RelativeTime
          at={task.endedAt}
          className="hidden shrink-0 text-small text-faint group-hover/row:block"
        />
      ) : null}
    </>
  )
}

/** A queued task whose root has stopped is not started until the root continues. */
function statusOf({ task, rootSettled, sleepsUntil, interruptedBelow }: TaskRow): ShownStatus {
  if (sleepsUntil !== null) return 'sleeping'
  if (task.status === 'queued' && task.parentId !== null && rootSettled) return 'not-started'
  return task.status === 'completed' && interruptedBelow > 0 ? 'partly-interrupted' : task.status
}

/** For the mouse only: `t` does the same, and screen readers read only the titles. */
function TranscriptButton({ task }: { task: Task }) {
  const { navigation } = useStores()
  return (
    <span aria-hidden className="hidden shrink-0 group-hover/row:block">
      <IconButton
        size="small"
        tabIndex={-1}
        label={`View transcript of ${task.title}`}
        icon={<ScrollText />}
        onClick={() => navigation.go({ screen: 'task', taskId: task.id, transcriptOf: task.id })}
      />
    </span>
  )
}

function BelowCount({ row: { below, runningBelow } }: { row: TaskRow }) {
  if (runningBelow > 0) return <RunningCount count={runningBelow} />
  return (
    <span
      className="tabular shrink-0 rounded-sm bg-hover px-1 text-small text-muted"
      title={below === 1 ? '1 sub-agent' : `${below} sub-agents`}
    >
      {below}
    </span>
  )
}

const RunningCount = ({ count }: { count: number }) => (
  <span className="tabular flex shrink-0 items-center gap-1 text-small text-muted">
    <StatusIcon status="spawned" small />
    {count}
  </span>
)

/** What it is doing now, or how long ago it stopped. */
function SecondLine({ row, status }: { row: TaskRow; status: ShownStatus }) {
  const { task, interruptedBelow } = row
  const activity = useActivity(task.id)
  const waitsFor = useOpenDependencies(task)
  if (isRunning(task.status))
    return <span dir="auto">{activity ? activityText(activity) : 'Working'}</span>
  if (isWaiting(task, activity))
    return waitsFor.length > 0 ? waits(waitsFor) : activityText({ state: 'waiting' })
  if (task.status === 'queued' && waitsFor.length > 0) return waits(waitsFor)
  if (task.status === 'blocked' && task.cause)
    return (
      <>
        <StatusText status={status} className="text-muted!" />: {plainCause(task.cause)}
      </>
    )
  if (row.sleepsUntil !== null) return sleepingUntil({ until: row.sleepsUntil })
  const at = task.endedAt ?? task.createdAt
  return (
    <>
      {interruptedBelow > 0 && task.status !== 'interrupted' ? (
        `${interruptedBelow} interrupted · `
      ) : (
        <>
          <StatusText status={status} className="text-muted!" />{' '}
        </>
      )}
      <RelativeTime at={at} />
    </>
  )
}

const waits = (tasks: Task[]): string => `Waits for ${tasks.map(({ title }) => title).join(', ')}`
