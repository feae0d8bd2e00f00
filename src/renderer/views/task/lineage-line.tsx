import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Menu, TextButton, TitleText } from '../../components/primitives/index.ts'
import { useContinuations, useStores, useTask } from '../../store/hooks.ts'
import { formatRoute, type Route, taskRoute } from '../../store/window/route.ts'

/** How many continuations the line names; the others are in a menu. */
const namedMax = 2

/** The task that it continues, and those that continue it. Renders nothing if there is neither. */
export function LineageLine({ task }: { task: Task }) {
  const { navigation } = useStores()
  const from = useTask(task.resumedFrom?.taskId ?? null)
  const continuations = useContinuations(task.id)
  if (!from && continuations.length === 0) return null
  // A menu of one would take more room than its title.
  const named = continuations.slice(0, continuations.length > namedMax + 1 ? namedMax : undefined)
  const others = continuations.slice(named.length)
  return (
    <p className="flex min-w-0 flex-wrap gap-x-3 text-small text-muted">
      {from ? (
        <span className="flex min-w-0 gap-1">
          <span className="shrink-0">Continues</span> <TaskLink task={from} />
        </span>
      ) : null}
      {continuations.length > 0 ? (
        <span className="flex min-w-0 gap-1">
          <span className="shrink-0">Continued by</span>
          {named.map((other, index) => (
            <span key={other.id} className="flex min-w-0">
              <TaskLink task={other} />
              {index < named.length - 1 ? ',' : null}
            </span>
          ))}
          {others.length > 0 ? (
            <span className="flex shrink-0 gap-1">
              and
              <Menu
                trigger={<TextButton>{others.length} more</TextButton>}
                entries={others.map((other) => ({
                  label: other.title,
                  onSelect: () => navigation.go(routeOf(other)),
                }))}
              />
            </span>
          ) : null}
        </span>
      ) : null}
    </p>
  )
}

const routeOf = (task: Task): Route =>
  task.archived ? { screen: 'archive', taskId: task.id, tab: 'report' } : taskRoute(task.id)

function TaskLink({ task }: { task: Task }) {
  return (
    <a
      href={formatRoute(routeOf(task))}
      className="max-w-72 min-w-0 rounded-sm text-accent hover:underline"
    >
      <TitleText title={task.title} />
    </a>
  )
}
