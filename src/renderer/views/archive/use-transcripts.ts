import { useCallback, useEffect, useRef, useState } from 'react'
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning, type Task } from '../../../shared/records/tasks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'

/** A burst of events is one reading of the list. */
const settleMs = 300

/**
 * Everything that is kept, read when the screen is shown; when the ledger has grown, only what changed is read again,
 * because a hundred thousand transcripts take a second to send.
 */
export function useTranscripts(): {
  /** Null until it was read once. */
  transcripts: TranscriptSummary[] | null
  problem: Problem | null
  reload(): void
} {
  const { client, ledger } = useStores()
  const seq = useLedger((view) => view.ledger.seq)
  const [transcripts, setTranscripts] = useState<TranscriptSummary[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  /** The tasks as they were when the list was read; null: all of it is to be read. */
  const seen = useRef<Map<TaskId, Task> | null>(null)
  const reading = useRef(Promise.resolve())
  const read = useCallback(() => {
    const now = ledger.store.getState().ledger.tasks
    const before = seen.current
    const taskIds = before ? changedBetween(before, now) : undefined
    if (taskIds?.length === 0) return
    seen.current = new Map(now)
    const answer = client.workspace.listTranscripts(taskIds ? { taskIds } : {})
    // One after the other: the answer about a few must not be replaced by an earlier one about all.
    reading.current = reading.current.then(async () => {
      try {
        const list = (await answer).transcripts
        setTranscripts((shown) => (taskIds ? merged(shown, list, taskIds) : list))
        setProblem(null)
      } catch (error) {
        seen.current = null
        setProblem(problemOf(error, 'read the archive'))
      }
    })
  }, [client, ledger])
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new `seq` asks for another reading
  useEffect(() => {
    const timer = setTimeout(read, first.current ? 0 : settleMs)
    first.current = false
    return () => clearTimeout(timer)
  }, [seq, read])
  const reload = useCallback(() => {
    seen.current = null
    read()
  }, [read])
  return { transcripts, problem, reload }
}

/** Tasks are replaced when they change; the transcript of one that runs grows without that. */
function changedBetween(before: Map<TaskId, Task>, now: Map<TaskId, Task>): TaskId[] {
  const changed: TaskId[] = []
  for (const [id, task] of now)
    if (before.get(id) !== task || isRunning(task.status)) changed.push(id)
  for (const id of before.keys()) if (!now.has(id)) changed.push(id)
  return changed
}

function merged(
  shown: TranscriptSummary[] | null,
  read: TranscriptSummary[],
  taskIds: readonly TaskId[],
): TranscriptSummary[] {
  const again = new Set(taskIds)
  return [...read, ...(shown ?? []).filter(({ taskId }) => !again.has(taskId))]
}
