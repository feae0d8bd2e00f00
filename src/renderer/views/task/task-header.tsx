import type { ReactNode } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { StatusIcon, StatusText, TitleText } from '../../components/primitives/index.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import { TaskElapsed } from '../../components/task/task-elapsed.tsx'
import { useActivity, useLineage, useProjectLabel } from '../../store/hooks.ts'
import { formatRoute, projectRoute, taskRoute } from '../../store/window/route.ts'
import { TreeCost } from '../limits/tree-cost.tsx'
import { Breadcrumb, Crumb } from './breadcrumb.tsx'
import { LineageLine } from './lineage-line.tsx'
import { SandboxMark } from './sandbox-mark.tsx'
import { TreeChangedFiles } from './tree-changed-files.tsx'

/** Breadcrumb, title, status and totals of a task; `actions` on the right. */
export function TaskHeader(props: {
  task: Task
  actions: ReactNode
  /** Its log was opened without being imported. */
  isOpened?: boolean
  /** The screen below shows its changes. */
  isReview?: boolean
  /** Opens the review of its changes. */
  onReview?: () => void
}) {
  const { task, actions, isOpened = false, isReview = false, onReview } = props
  const lineage = useLineage(task.id)
  const project = useProjectLabel(task.projectId)
  const status = shownStatus(task, lineage[0] ?? null, useActivity(task.id))
  return (
    // The actions wrap below the title if there is no room beside it.
    <header className="@container/header flex shrink-0 flex-wrap items-start gap-x-2 border-b px-4 pt-2 pb-2">
      <div className="@container min-w-0 flex-[1_1_15rem]">
        <nav aria-label="Breadcrumb" className="flex min-w-0 items-center text-small text-muted">
          <Breadcrumb
            ancestors={lineage.slice(0, -1)}
            routeOf={({ id }) => taskRoute(id)}
            before={
              project ? (
                <Crumb href={formatRoute(projectRoute(task.projectId))}>{project}</Crumb>
              ) : null
            }
          >
            <li className="shrink-0 text-faint">{task.agent}</li>
          </Breadcrumb>
        </nav>
        {/* Where there is no room beside the title, the status wraps below it. */}
        <div className="flex min-w-0 items-center gap-x-2 @max-[44rem]:flex-wrap">
          <h1 className="min-w-0 text-title font-semibold">
            <TitleText title={task.title} />
          </h1>
          <span className="flex shrink-0 items-center gap-x-2 text-small whitespace-nowrap text-muted @max-[44rem]:shrink @max-[44rem]:flex-wrap">
            <span className="flex items-center gap-1.5">
              <StatusIcon status={status} decorative />
              <StatusText status={status} />
            </span>
            <TaskElapsed task={task} />
            <TreeCost task={task} />
            {isReview ? null : <TreeChangedFiles task={task} {...(onReview && { onReview })} />}
            <SandboxMark task={task} />
            {task.archived && !isOpened ? <span>archived</span> : null}
          </span>
        </div>
        <LineageLine task={task} />
      </div>
      <div className="ml-auto flex max-w-full flex-wrap items-center justify-end gap-1 pt-1.5">
        {actions}
      </div>
    </header>
  )
}
