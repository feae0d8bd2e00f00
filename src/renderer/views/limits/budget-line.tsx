import { Wallet } from 'lucide-react'
import { useRef } from 'react'
import {
  type ReachedLimit,
  raisedAmount,
  reachedLimit,
} from '../../../shared/projections/ledger/budget-limit.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Activity, isWrappingUp } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { amountText, reachedText } from '../../../shared/text/usage-text.ts'
import { ActionLine, Button } from '../../components/primitives/index.ts'
import { useLedger, useStores, useUnreachable } from '../../store/hooks.ts'
import { type TreeUse, useTreeUse } from '../../store/tree-use.ts'
import { useActions } from '../app/use-actions.ts'
import { useArrival } from '../conversation/use-arrival.ts'

/** Shows what a root whose budget is used up has used, and what a user can do about it (Q2). */
export function BudgetLine({ task }: { task: Task }) {
  const { overlay } = useStores()
  const { wrapUp, stop, setBudget } = useActions()
  const unreachable = useUnreachable()
  const work = useLedger(({ ledger, activity }) => workOf(task.id, ledger.tasks, activity))
  const line = useRef<HTMLElement>(null)
  const use = useTreeUse(task)
  const recorded = reachedLimit(task)
  const reached = recorded && { ...recorded, used: usedNow(recorded, use) }
  useArrival(
    task.id,
    (at) => at === 'limit' && reached !== null,
    () => line.current?.focus(),
  )
  if (!reached) return null
  const common = { size: 'small', disabled: unreachable !== undefined, title: unreachable } as const
  const next = raisedAmount(reached)
  const raised = { ...reached.budget, [reached.part]: next }
  return (
    <ActionLine
      ref={line}
      label="Budget"
      look="attention"
      icon={<Wallet aria-hidden className="text-amber" />}
      actions={
        <>
          {reached.level === 'spent' ? (
            <Button {...common} onClick={() => void setBudget(task.id, raised)}>
              Raise to {amountText(reached.part, next)}
            </Button>
          ) : null}
          <Button {...common} onClick={() => overlay.show({ kind: 'budget', taskId: task.id })}>
            Change limits…
          </Button>
          {work === 'pausing' ? (
            <Button {...common} onClick={() => void wrapUp(task.id)}>
              Wrap up
            </Button>
          ) : null}
          {/* A running root has its Stop button below, in the composer. */}
          {work !== 'none' && !isRunning(task.status) ? (
            <Button {...common} onClick={() => void stop(task.id)}>
              Stop
            </Button>
          ) : null}
        </>
      }
    >
      {reachedText(reached)}
      {workTexts[work]}
    </ActionLine>
  )
}

/** More may have been used since the limit was reached, such as for the last report. */
const usedNow = ({ part, used }: ReachedLimit, use: TreeUse): number =>
  part === 'tokens' || part === 'usd'
    ? Math.max(used, use.parts(Date.now()).find((one) => one.part === part)?.used ?? 0)
    : used

const workTexts = {
  none: '',
  pausing: ' Agents pause before their next step.',
  'wrapping-up': ' Wrapping up: agents report and end.',
}

/** `wrapping-up`: every running agent of the tree is. */
function workOf(
  rootId: TaskId,
  tasks: ReadonlyMap<TaskId, Task>,
  activity: ReadonlyMap<TaskId, Activity>,
): keyof typeof workTexts {
  const running = [...tasks.values()].filter(
    (one) => one.rootId === rootId && isRunning(one.status),
  )
  if (running.length === 0) return 'none'
  const wrapUp = running.every(({ id }) => {
    const doing = activity.get(id)
    return doing !== undefined && isWrappingUp(doing)
  })
  return wrapUp ? 'wrapping-up' : 'pausing'
}
