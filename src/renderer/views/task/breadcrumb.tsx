import { ChevronRight, Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { IconButton, Menu, TitleText } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { formatRoute, type Route } from '../../store/window/route.ts'
import { crumbsOf } from './crumbs.ts'

/** `Root › … › Parent`, then `children`: the middle of a deep lineage is in a menu. */
export function Breadcrumb(props: {
  ancestors: Task[]
  routeOf(task: Task): Route
  /** The project, before the root. */
  before?: ReactNode
  children: ReactNode
}) {
  const { ancestors, routeOf, before, children } = props
  const { navigation } = useStores()
  const { first, hidden, last } = crumbsOf(ancestors)
  const crumb = (task: Task) => (
    <Crumb key={task.id} href={formatRoute(routeOf(task))}>
      {task.title}
    </Crumb>
  )
  return (
    <ol className="flex min-w-0 items-center gap-0.5">
      {before}
      {first.map(crumb)}
      {hidden.length > 0 ? (
        <li className="flex shrink-0 items-center gap-0.5">
          <Menu
            trigger={
              <IconButton
                size="small"
                label={`${hidden.length} more parents`}
                icon={<Ellipsis />}
                className="-my-1"
              />
            }
            entries={hidden.map((task) => ({
              label: task.title,
              onSelect: () => navigation.go(routeOf(task)),
            }))}
          />
          <Separator />
        </li>
      ) : null}
      {last.map(crumb)}
      {children}
    </ol>
  )
}

export function Crumb({ href, children }: { href: string; children: string }) {
  return (
    <li className="flex min-w-0 shrink items-center gap-0.5">
      <a
        href={href}
        className="max-w-56 min-w-0 rounded-sm text-muted hover:text-ink hover:underline"
      >
        <TitleText title={children} />
      </a>
      <Separator />
    </li>
  )
}

const Separator = () => <ChevronRight aria-hidden className="size-3 shrink-0 text-faint" />
