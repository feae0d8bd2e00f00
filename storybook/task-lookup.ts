/** The task lookup of a folded ledger, as the views make it from the store. */

import type {
  ShownApply,
  ShownReport,
  TaskLookup,
} from '../src/renderer/components/conversation/task-lookup.ts'
import type { TreeChanges } from '../src/shared/contract/changes/tree-changes.ts'
import {
  childrenByParent,
  type LedgerState,
} from '../src/shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../src/shared/records/ids.ts'
import type { Activity } from '../src/shared/records/tasks/activity.ts'

export function lookupOf(
  state: LedgerState,
  more: {
    activity?: Record<string, Activity | null>
    reports?: Record<string, ShownReport>
    applies?: Record<string, ShownApply>
    changes?: Record<string, TreeChanges>
  } = {},
): TaskLookup {
  const tasks = [...state.tasks.values()]
  const children = childrenByParent(tasks)
  return {
    byCallId: (callId) => tasks.find((task) => task.callId === callId) ?? null,
    byId: (id: TaskId) => state.tasks.get(id) ?? null,
    childrenOf: (id) => children.get(id) ?? [],
    activity: (id) => more.activity?.[id] ?? null,
    report: (id) => more.reports?.[id] ?? null,
    apply: (id) => more.applies?.[id] ?? null,
    changes: (id) => more.changes?.[id] ?? null,
  }
}
