import { useCallback, useEffect, useState } from 'react'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useConnectionLost, useStores } from '../../store/hooks.ts'

/** How often the diff is read while an agent works; each read takes Git some milliseconds. */
const refreshMs = 4_000

/** What a workspace changed; read again while its agent works, and once it has stopped. */
export function useDiff(task: Task): {
  diff: WorkspaceDiff | null
  problem: Problem | null
  loading: boolean
  refresh(): void
} {
  const { client } = useStores()
  const [state, setState] = useState<{ diff: WorkspaceDiff | null; problem: Problem | null }>({
    diff: null,
    problem: null,
  })
  const [loading, setLoading] = useState(true)
  const lost = useConnectionLost()
  const { id, status, patch } = task
  const refresh = useCallback(() => {
    setLoading(true)
    client.workspace
      .diff({ workspaceId: id })
      .then(
        (diff) => setState({ diff, problem: null }),
        // The last diff stays, with the error above it.
        (error: unknown) =>
          setState((before) => ({ ...before, problem: problemOf(error, 'read the changes') })),
      )
      .finally(() => setLoading(false))
  }, [client, id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the diff is read again when a run ends or a patch is applied
  useEffect(() => {
    if (lost) return
    refresh()
    if (!isRunning(status)) return
    const timer = setInterval(refresh, refreshMs)
    return () => clearInterval(timer)
  }, [refresh, status, patch, lost])
  const { diff, problem } = state
  // The bar above shows that the connection is lost; the diff is read again when it is back.
  const shownProblem = lost && problem?.code === 'CONNECTION' ? null : problem
  return { diff, problem: shownProblem, loading: loading && !lost, refresh }
}
