import { useCallback, useEffect, useState } from 'react'
import type { PublishState } from '../../../shared/contract/changes/publish.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

/** What can be committed and pushed, read once and again by `refresh`. */
export function usePublishState(taskId: TaskId): {
  state: PublishState | null
  problem: Problem | null
  refresh(): void
} {
  const { client } = useStores()
  const [state, setState] = useState<PublishState | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `attempt` repeats the request
  useEffect(() => {
    const abort = new AbortController()
    client.publish.state({ taskId }, { signal: abort.signal }).then(setState, (error: unknown) => {
      if (!abort.signal.aborted) setProblem(problemOf(error, 'read what can be committed'))
    })
    return () => abort.abort()
  }, [client, taskId, attempt])
  return { state, problem, refresh: useCallback(() => setAttempt((n) => n + 1), []) }
}
