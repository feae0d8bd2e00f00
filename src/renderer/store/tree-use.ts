/** What a tree used and changed so far, and the used share of its budget. */
import { useEffect, useMemo } from 'react'
import { useStore } from 'zustand'
import type { TreeChanges } from '../../shared/contract/changes/tree-changes.ts'
import {
  budgetUse,
  type PartUsed,
  timeAtWork,
  usageOfTasks,
} from '../../shared/projections/ledger/tree-usage.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { hasLimit } from '../../shared/records/tasks/budgets.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { noUsage, type Usage } from '../../shared/records/usage.ts'
import { useConnectionLost, useLedger, useStores } from './hooks.ts'
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

/** How often the changes of a running agent are counted, as in its Changes tab. */
const countAgainMs = 4_000

/** Returns the counts of what the task and all below it changed; null until they are known. */
export function useTreeChanges(task: Task): TreeChanges | null {
  const { treeChanges } = useStores()
  const view = useLedger((whole) => whole)
  const state = useMemo(() => treeStateOf(view, task), [view, task])
  const lost = useConnectionLost()
  const { id, status } = task
  useEffect(() => {
    if (lost) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const count = async (times: number) => {
      const isSeen = document.visibilityState === 'visible'
      if (isSeen || times === 0)
        await treeChanges.load(id, times === 0 ? state : `${state} ${times}`)
      // After the answer, so that slow answers do not pile up.
      if (!isOver && isRunning(status))
        timer = setTimeout(() => void count(times + 1), countAgainMs)
    }
    void count(0)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [treeChanges, id, state, status, lost])
  return useStore(treeChanges.store, (known) => known.get(id) ?? null)
}

export function usageBelow({ ledger, children, usage }: LedgerView, taskId: TaskId): Usage {
  const task = ledger.tasks.get(taskId)
  return task ? usageOfTasks(treeOf(children, task), usage) : noUsage
}

/** Differs whenever the changes of the task or of one below it may be others than before, except while it runs. */
export const treeStateOf = ({ children }: LedgerView, task: Task): string =>
  treeOf(children, task)
    .map(({ status, patch, runs, workspace, endedAt }) =>
      [status, patch, runs.length, workspace?.removal, endedAt].join(),
    )
    .join(';')

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
