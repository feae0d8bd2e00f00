/** The usage of a tree so far, and the used share of its budget. */
import { useMemo } from 'react'
import {
  budgetUse,
  type PartUsed,
  timeAtWork,
  usageOfTasks,
} from '../../shared/projections/ledger/tree-usage.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { hasLimit } from '../../shared/records/tasks/budgets.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { noUsage, type Usage } from '../../shared/records/usage.ts'
import { useLedger } from './hooks.ts'
import type { LedgerView } from './ledger-store.ts'

export interface TreeUse {
  /** Usage of the task and all tasks below it. */
  usage: Usage
  /** For a root with a budget: its parts at `nowMs`, the most used first. */
  parts(nowMs: number): PartUsed[]
}

const nothing: TreeUse = { usage: noUsage, parts: () => [] }

/** The result is a new object after any change in the tree. */
export function useTreeUse(task: Task | null): TreeUse {
  const view = useLedger((whole) => whole)
  return useMemo(() => (task ? treeUse(view, task) : nothing), [view, task])
}

export function usageBelow({ ledger, children, usage }: LedgerView, taskId: TaskId): Usage {
  const task = ledger.tasks.get(taskId)
  return task ? usageOfTasks(treeOf(children, task), usage) : noUsage
}

function treeUse({ children, usage: live }: LedgerView, task: Task): TreeUse {
  const tree = treeOf(children, task)
  const usage = usageOfTasks(tree, live)
  const { budget } = task.options
  return {
    usage,
    parts: (nowMs) =>
      hasLimit(budget) && task.parentId === null
        ? budgetUse(budget, usage, timeAtWork(tree, task.budgetPauses, nowMs))
        : [],
  }
}

function treeOf(children: ReadonlyMap<TaskId | null, Task[]>, task: Task): Task[] {
  return [task, ...(children.get(task.id) ?? []).flatMap((child) => treeOf(children, child))]
}
