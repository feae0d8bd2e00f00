import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { useConnectionLost, useStores } from '../../store/hooks.ts'

/**
 * Which of the changes are already in the target, and which would conflict; null until loaded and while the agent runs.
 * Read again when the changes differ, after each apply and undo, failed ones included, because a conflict of an apply
 * shows that the target is not as it was, and when the user comes back to the window, perhaps from an editor.
 */
export function useComparison(task: Task, diff: WorkspaceDiff | null): TargetComparison | null {
  const { client, applies } = useStores()
  const lost = useConnectionLost()
  const [comparison, setComparison] = useState<TargetComparison | null>(null)
  const running = isRunning(task.status)
  const tree = diff?.tree ?? null
  const applied = useStore(applies.store, (known) => known.get(task.id))
  const isBusy = applied?.kind === 'applying' || applied?.kind === 'undoing'
  const updates = task.fileUpdates?.map(({ id, doneAt }) => `${id} ${doneAt}`).join(' ')
  const [visits, setVisits] = useState(0)
  useEffect(() => {
    const visited = () => setVisits((count) => count + 1)
    window.addEventListener('focus', visited)
    return () => window.removeEventListener('focus', visited)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these repeats the request
  useEffect(() => {
    if (lost || running || isBusy || tree === null) return
    const abort = new AbortController()
    client.workspace.compareTarget({ workspaceId: task.id }, { signal: abort.signal }).then(
      (found) => setComparison(found.tree === tree ? found : null),
      // The marks are optional; an apply reports the reason.
      () => !abort.signal.aborted && setComparison(null),
    )
    return () => abort.abort()
  }, [client, task.id, task.patch, updates, running, isBusy, tree, lost, diff, visits])
  return running ? null : comparison
}
