import { type ReactNode, useContext, useMemo } from 'react'
import { taskAt } from '../../../shared/projections/replay/task-at.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  TaskActionsContext,
  type TaskLookup,
  TaskLookupContext,
} from '../../components/conversation/task-lookup.ts'

/** Shows the cards of a replay as they were at the moment, without actions on the tasks as they are now. */
export function ReplayedCards(props: {
  isReplay: boolean
  /** The moment; null at the end, where everything is as it is now. */
  atMs: number | null
  children: ReactNode
}) {
  const { isReplay, atMs, children } = props
  const lookup = useContext(TaskLookupContext)
  const actions = useContext(TaskActionsContext)
  const readOnly = useMemo(() => {
    const { onApply, onStop, onResume, onRetry, onTryNow, menuOf, ...rest } = actions
    return rest
  }, [actions])
  const replayed = useMemo(() => (atMs === null ? lookup : lookupAt(lookup, atMs)), [lookup, atMs])
  return (
    <TaskLookupContext value={replayed}>
      <TaskActionsContext value={isReplay ? readOnly : actions}>{children}</TaskActionsContext>
    </TaskLookupContext>
  )
}

function lookupAt(now: TaskLookup, atMs: number): TaskLookup {
  const at = (task: Task | null) => task && taskAt(task, atMs)
  const hasChangedSince = (task: Task) => taskAt(task, atMs)?.status !== task.status
  return {
    byCallId: (callId) => at(now.byCallId(callId)),
    byId: (id) => at(now.byId(id)),
    childrenOf: (id) => now.childrenOf(id).flatMap((child) => at(child) ?? []),
    activity: () => null,
    report: (id) => now.report?.(id) ?? null,
    changes(id) {
      const task = now.byId(id)
      return task && !hasChangedSince(task) ? (now.changes?.(id) ?? null) : null
    },
  }
}
