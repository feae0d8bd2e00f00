import { useEffect, useState } from 'react'
import type { TaskChecks as Found } from '../../../shared/contract/changes/checks.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { CheckList } from '../../components/checks/check-list.tsx'
import { Skeleton } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'

/** The checks that an agent ran, read when they are shown and again after each run. */
export function TaskChecks({ task, onOpen }: { task: Task; onOpen(seq: number): void }) {
  const { client } = useStores()
  const [found, setFound] = useState<Found | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [attempt, setAttempt] = useState(0)
  const { id: taskId, hasTranscript, transcriptExpired } = task
  const running = isRunning(task.status)
  const run = task.runs.at(-1)?.run ?? 0
  const readable = hasTranscript && transcriptExpired === null && !running
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run or attempt repeats the request
  useEffect(() => {
    if (!readable) return
    const abort = new AbortController()
    setProblem(null)
    client.checks.list({ taskId }, { signal: abort.signal }).then(setFound, (error: unknown) => {
      if (!abort.signal.aborted) setProblem(problemOf(error, 'look for checks'))
    })
    return () => abort.abort()
  }, [client, taskId, readable, run, attempt])
  if (!readable) return null
  return (
    <section aria-label="Checks" className="flex flex-col gap-2">
      <h3 className="font-semibold">Checks</h3>
      {problem ? (
        <ProblemNotice
          problem={problem}
          action={{ label: 'Try again', onClick: () => setAttempt(attempt + 1) }}
        />
      ) : found ? (
        <CheckList checks={found} onOpen={onOpen} />
      ) : (
        <Skeleton lines={2} />
      )}
    </section>
  )
}
