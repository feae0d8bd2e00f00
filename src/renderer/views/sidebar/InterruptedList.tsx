import { ScrollText } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import type { Task } from '../../../shared/tasks.ts'
import { IconButton, RelativeTime, StatusIcon } from '../../components/primitives/index.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { taskRoute } from '../../store/route.ts'
import { interruptedTasks } from './rows.ts'

/** What stopped before it was done: a section of its own, and only when there is something in it. */
export function InterruptedList() {
  const tasks = useLedger(useShallow(({ ledger }) => interruptedTasks(ledger.tasks.values())))
  if (tasks.length === 0) return null
  return (
    <section aria-label="Interrupted" className="flex max-h-[40%] shrink-0 flex-col border-t">
      <h2 className="flex h-7 shrink-0 items-center gap-1.5 px-4 text-small font-semibold text-muted">
        Interrupted
        <span className="tabular font-normal">{tasks.length}</span>
      </h2>
      <ul className="min-h-0 overflow-y-auto pb-1">
        {tasks.map((task) => (
          <Row key={task.id} task={task} />
        ))}
      </ul>
    </section>
  )
}

function Row({ task }: { task: Task }) {
  const { navigation } = useStores()
  return (
    <li className="group/row relative flex items-center">
      <button
        type="button"
        className="focus-inset flex h-11 min-w-0 flex-1 items-center gap-2 pr-10 pl-4 text-left hover:bg-hover"
        onClick={() => navigation.go(taskRoute(task.id))}
      >
        <StatusIcon status="interrupted" />
        <span className="min-w-0 flex-1">
          <span className="untrusted block truncate" title={task.title}>
            {task.title}
          </span>
          <span className="block truncate text-small text-muted" title={task.error ?? undefined}>
            <RelativeTime at={task.endedAt ?? task.createdAt} /> · {task.error}
          </span>
        </span>
      </button>
      <span className="absolute right-2">
        <IconButton
          size="small"
          label={`View transcript of ${task.title}`}
          icon={<ScrollText />}
          onClick={() => navigation.go({ screen: 'task', taskId: task.id, transcriptOf: task.id })}
        />
      </span>
    </li>
  )
}
