import type { ReactNode } from 'react'
import { countBelow } from '../../../shared/projections/ledger/ledger-state.ts'
import { activityText } from '../../../shared/records/tasks/activity.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import {
  classNames,
  FactLine,
  RelativeTime,
  StatusIcon,
  statusLabel,
  TextButton,
  TitleText,
} from '../../components/primitives/index.ts'
import { plainCause } from '../../components/task/plain-cause.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import { sleepText } from '../../components/task/sleep-text.ts'
import { TaskElapsed } from '../../components/task/task-elapsed.tsx'
import { useActivity, useLedger, useProjectLabel, useUnreachable } from '../../store/hooks.ts'
import type { InterruptedTree } from '../../store/resume/resumable.ts'
import { formatRoute, taskRoute } from '../../store/window/route.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

export function RunningRow({ root, className }: { root: Task; className: string }) {
  const activity = useActivity(root.id)
  return (
    <RootLink
      root={root}
      className={className}
      line={root.sleep ? sleepText(root.sleep) : activity ? activityText(activity) : 'Working'}
      time={<TaskElapsed task={root} />}
    />
  )
}

/** A root that ended, with the title of its report, or why it did not end well. */
export function RecentRow({ root, className }: { root: Task; className: string }) {
  return (
    <RootLink
      root={root}
      className={className}
      line={root.reportTitle ?? (root.cause ? plainCause(root.cause) : statusLabel(root.status))}
      time={<RelativeTime at={root.endedAt ?? root.createdAt} />}
    />
  )
}

/** An interrupted tree, with the button that resumes it. */
export function InterruptedRow({ tree, className }: { tree: InterruptedTree; className: string }) {
  const { root, rows, interrupted, stoppedAt } = tree
  const { resumeTree } = useResumeActions()
  const unreachable = useUnreachable()
  const notStarted = rows.length - interrupted
  return (
    <div className={classNames(className, 'relative')}>
      <StatusIcon status="interrupted" decorative />
      <div className="min-w-0 flex-1">
        {/* The whole row is a link; the button is above it. */}
        <a href={formatRoute(taskRoute(root.id))} className="after:absolute after:inset-0">
          <TitleText title={root.title} />
        </a>
        <FactLine oneLine>
          {interrupted > 0 ? <span>{interrupted} interrupted</span> : null}
          {notStarted > 0 ? <span>{notStarted} not started</span> : null}
          <RelativeTime at={stoppedAt} />
        </FactLine>
      </div>
      <TextButton
        className="relative shrink-0"
        aria-label={`Resume ${root.title}`}
        disabled={unreachable !== undefined}
        title={unreachable}
        onClick={() => resumeTree(root.id)}
      >
        Resume
      </TextButton>
    </div>
  )
}

function RootLink(props: { root: Task; className: string; line: string; time: ReactNode }) {
  const { root, className, line, time } = props
  const project = useProjectLabel(root.projectId)
  const agents = useLedger(({ children }) => countBelow(children, root.id))
  const status = shownStatus(root, root, useActivity(root.id))
  return (
    <a
      href={formatRoute(
        root.archived ? { screen: 'archive', taskId: root.id, tab: 'report' } : taskRoute(root.id),
      )}
      className={className}
    >
      <StatusIcon status={status} />
      <span className="min-w-0 flex-1">
        <TitleText title={root.title} />
        <span dir="auto" className="untrusted block truncate text-small text-muted" title={line}>
          {line}
        </span>
      </span>
      <span className="shrink-0 text-right text-small text-muted">
        <span className="block">{time}</span>
        <span className="block max-w-48 truncate">
          {[project, agents > 0 ? counted(agents, 'sub-agent') : null]
            .filter((part) => part !== null)
            .join(' · ')}
        </span>
      </span>
    </a>
  )
}
