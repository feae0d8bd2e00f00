import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { TitleText } from '../../components/primitives/index.ts'
import { useContinuations, useTask } from '../../store/hooks.ts'
import { formatRoute, type Route, taskRoute } from '../../store/window/route.ts'

/** The task that it continues, and those that continue it. Renders nothing if there is neither. */
export function LineageLine({ task }: { task: Task }) {
  const from = useTask(task.resumedFrom?.taskId ?? null)
  const continuations = useContinuations(task.id)
  if (!from && continuations.length === 0) return null
  return (
    <p className="flex min-w-0 flex-wrap gap-x-3 text-small text-muted">
      {from ? (
        <span className="flex min-w-0 gap-1">
          Continues <TaskLink task={from} />
        </span>
      ) : null}
      {continuations.length > 0 ? (
        <span className="flex min-w-0 gap-1">
          Continued by
          {continuations.map((other, index) => (
            <span key={other.id} className="flex min-w-0">
              <TaskLink task={other} />
              {index < continuations.length - 1 ? ',' : null}
            </span>
          ))}
        </span>
      ) : null}
    </p>
  )
}

function TaskLink({ task }: { task: Task }) {
  const route: Route = task.archived
    ? { screen: 'archive', taskId: task.id, tab: 'report' }
    : taskRoute(task.id)
  return (
    <a
      href={formatRoute(route)}
      className="max-w-72 min-w-0 rounded-sm text-accent hover:underline"
    >
      <TitleText title={task.title} />
    </a>
  )
}
