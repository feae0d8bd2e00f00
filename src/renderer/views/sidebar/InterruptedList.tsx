import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Task } from '../../../shared/tasks.ts'
import {
  IconButton,
  RelativeTime,
  StatusIcon,
  TextButton,
} from '../../components/primitives/index.ts'
import { useLedger, useStores, useTask } from '../../store/hooks.ts'
import { taskRoute } from '../../store/route.ts'
import { interruptedTasks } from './rows.ts'

/** More than this push the tree out of a small window. */
const shownAtFirstMax = 4

/** What stopped before it was done: a section of its own, and only when there is something in it. */
export function InterruptedList() {
  const tasks = useLedger(useShallow(({ ledger }) => interruptedTasks(ledger.tasks)))
  const [all, setAll] = useState(false)
  if (tasks.length === 0) return null
  const shown = all ? tasks : tasks.slice(0, shownAtFirstMax)
  return (
    <section aria-label="Interrupted" className="flex max-h-[40%] shrink-0 flex-col border-t">
      <h2 className="flex h-7 shrink-0 items-center gap-1.5 px-4 text-small font-semibold text-muted">
        Interrupted
        <span className="tabular font-normal">{tasks.length}</span>
      </h2>
      <ul className="min-h-0 overflow-y-auto pb-1">
        {shown.map((task) => (
          <Row key={task.id} task={task} />
        ))}
      </ul>
      {tasks.length > shownAtFirstMax ? (
        <TextButton
          className="focus-inset h-7 shrink-0 px-4 text-left text-small"
          onClick={() => setAll(!all)}
        >
          {all ? 'Show fewer' : `Show all ${tasks.length}`}
        </TextButton>
      ) : null}
    </section>
  )
}

function Row({ task }: { task: Task }) {
  const { navigation } = useStores()
  const root = useTask(task.parentId ? task.rootId : null)
  return (
    <li className="group/row relative flex items-center">
      <button
        type="button"
        className="focus-inset flex h-11 min-w-0 flex-1 items-center gap-2 pr-3 pl-4 text-left group-focus-within/row:pr-10 group-hover/row:pr-10 hover:bg-hover"
        onClick={() => navigation.go(taskRoute(task.id))}
      >
        <StatusIcon status="interrupted" />
        <span className="min-w-0 flex-1">
          <span className="untrusted block truncate" title={task.title}>
            {task.title}
          </span>
          <span className="flex gap-1 text-small whitespace-nowrap text-muted">
            {root ? (
              <>
                <span className="untrusted max-w-[26%] shrink-0 truncate" title={root.title}>
                  {root.title}
                </span>
                ·
              </>
            ) : null}
            <RelativeTime at={task.endedAt ?? task.createdAt} />
            {task.error ? (
              <>
                ·
                <span className="min-w-0 flex-1 truncate" title={task.error}>
                  {task.error}
                </span>
              </>
            ) : null}
          </span>
        </span>
      </button>
      <span className="absolute right-2 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100">
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
