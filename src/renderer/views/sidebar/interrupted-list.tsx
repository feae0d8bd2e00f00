import { useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { Tree } from '../../components/tree/tree.tsx'
import { withKeptRows } from '../../components/tree/tree-row.ts'
import {
  useInterruptedTrees,
  useLedger,
  usePreference,
  useStores,
  useUnreachable,
} from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { isWaiting } from '../../store/resume/resumable.ts'
import { toggled } from '../../store/window/preferences.ts'
import { taskRoute } from '../../store/window/route.ts'
import { runByKey } from '../actions/action.ts'
import { useTaskActions } from '../actions/use-task-actions.tsx'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { BatchProgress } from './batch-progress.tsx'
import { InterruptedHeader } from './interrupted-header.tsx'
import { renderInterruptedRow } from './interrupted-row.tsx'
import { type InterruptedListRow, interruptedListRows } from './interrupted-rows.ts'
import { useRowMenu } from './use-row-menu.ts'

/** All interrupted agents, a row for each tree. Renders nothing if there are none. */
export function InterruptedList() {
  const { navigation, resumes, preferences } = useStores()
  const { resumeTree } = useResumeActions()
  const actionsOf = useTaskActions()
  const trees = useInterruptedTrees()
  const batch = useStore(resumes.store, (view) => view.batch)
  const unreachable = useUnreachable()
  const menuOf = useRowMenu()
  const opened = usePreference('openedInterrupted')
  const ledger = useLedger((view) => view.ledger)
  const kept = useRef<readonly InterruptedListRow[]>([])
  const rows = useMemo(() => {
    const labels = projectLabels(ledger.projects.values())
    kept.current = withKeptRows(
      kept.current,
      interruptedListRows(trees, {
        isOpen: (rootId) => opened.includes(rootId),
        projectName: ({ projectId }) => labels.get(projectId) ?? null,
        parentOf: ({ parentId }) => (parentId ? (ledger.tasks.get(parentId) ?? null) : null),
      }),
    )
    return kept.current
  }, [trees, opened, ledger])
  const waiting = useLedger(({ activity }) =>
    trees
      .flatMap((tree) => tree.rows)
      .reduce(
        (count, { task }) => (isWaiting(task, activity.get(task.id) ?? null) ? count + 1 : count),
        0,
      ),
  )
  if (trees.length === 0 && batch === null) return null
  const count = trees.reduce((sum, tree) => sum + tree.rows.length, 0)
  // Agents that never started are not counted, as on the command line; the row of a tree shows them separately.
  const interrupted = trees.reduce((sum, tree) => sum + tree.interrupted, 0)
  const fold = (row: InterruptedListRow) => {
    if (row.kind !== 'tree') return
    preferences.setState({ openedInterrupted: toggled(opened, row.root.id) })
  }
  return (
    <section aria-label="Interrupted" className="flex max-h-[30%] shrink-0 flex-col border-t">
      <InterruptedHeader
        count={interrupted}
        toResume={batch === null ? count - waiting : 0}
        unreachable={unreachable}
      />
      <BatchProgress />
      <Tree<InterruptedListRow>
        label="Interrupted agents"
        rows={rows}
        selected={null}
        renderRow={renderInterruptedRow}
        onOpen={(row) => (row.kind === 'tree' ? fold(row) : navigation.go(taskRoute(row.task.id)))}
        onFold={fold}
        onKey={(key, row) => {
          if (row.kind === 'agent') return runByKey(actionsOf(row.task), key)
          // The root may have completed: this resumes the agents below it.
          if (key !== 'r' || unreachable !== undefined) return false
          resumeTree(row.root.id)
          return true
        }}
        menuOf={menuOf}
        className="min-h-0"
      />
    </section>
  )
}
