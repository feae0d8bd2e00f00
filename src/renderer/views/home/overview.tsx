import { type ReactNode, useMemo } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Need } from '../../store/attention/needs-you.ts'
import { homeRoots } from '../../store/home/roots.ts'
import { useInterruptedTrees, useLedger } from '../../store/hooks.ts'
import { formatRoute } from '../../store/window/route.ts'
import { NeedLink } from '../sidebar/need-link.tsx'
import { archiveRoute } from '../sidebar/sidebar.tsx'
import { useNeedsYou } from '../sidebar/use-needs-you.ts'
import { HomeList } from './home-list.tsx'
import { InterruptedRow, RecentRow, RunningRow } from './root-rows.tsx'
import { StartAgent } from './start-agent.tsx'

const recentMax = 8
const noRoots: Task[] = []

/**
 * A field for a new task, then the roots that wait for the user, run, or ended last; none is listed twice. Without the
 * field, the first steps are above it.
 */
export function Overview({ withField = true }: { withField?: boolean }) {
  const roots = useLedger(({ children }) => children.get(null) ?? noRoots)
  const needs = useNeedsYou()
  const interrupted = useInterruptedTrees()
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const listed = useMemo(
    () =>
      new Set([
        ...needs.flatMap(({ taskId }) => tasks.get(taskId)?.rootId ?? []),
        ...interrupted.map(({ root }) => root.id),
      ]),
    [needs, interrupted, tasks],
  )
  const { running, recent, older } = useMemo(
    () => homeRoots(roots, listed, recentMax),
    [roots, listed],
  )
  return (
    <div className="mx-auto flex w-full max-w-column flex-col gap-6 px-6 py-8">
      {withField ? <StartAgent /> : null}
      <HomeList label="Waiting for you" items={needs} keyOf={needKey}>
        {(need, className) => <NeedLink need={need} className={className} roomy />}
      </HomeList>
      <HomeList label="Running" items={running} keyOf={taskKey}>
        {(root, className) => <RunningRow root={root} className={className} />}
      </HomeList>
      <HomeList label="Interrupted agents" items={interrupted} keyOf={({ root }) => root.id}>
        {(tree, className) => <InterruptedRow tree={tree} className={className} />}
      </HomeList>
      <HomeList label="Recent" items={recent} keyOf={taskKey} max={recentMax}>
        {(root, className) => <RecentRow root={root} className={className} />}
      </HomeList>
      {older > 0 ? <Older count={older} /> : null}
    </div>
  )
}

const needKey = (need: Need): string => need.key
const taskKey = (task: Task): string => task.id

const Older = ({ count }: { count: number }): ReactNode => (
  <a
    href={formatRoute(archiveRoute)}
    className="-mt-4 self-start text-small text-accent hover:underline"
  >
    {count} more in the archive
  </a>
)
