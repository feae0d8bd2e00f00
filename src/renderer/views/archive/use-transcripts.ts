import { useCallback, useEffect, useRef, useState } from 'react'
import { transcriptSummaryOf } from '../../../shared/contract/transcripts/summary.ts'
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'

/** Reads the list once for a burst of events. */
const settleMs = 300

type Sizes = Pick<TranscriptSummary, 'entries' | 'bytes'>

/**
 * All transcripts of the log, from the tasks in the window. Only sizes that no task has are requested: those of
 * transcripts that are being written, or were recorded without counts. Requesting all sizes took eight seconds with a
 * hundred thousand transcripts.
 */
export function useTranscripts(): {
  /** Null until the tasks are loaded. */
  transcripts: TranscriptSummary[] | null
  problem: Problem | null
  reload(): void
} {
  const { client, ledger } = useStores()
  const seq = useLedger((view) => (view.phase === 'ready' ? view.ledger.seq : -1))
  const [transcripts, setTranscripts] = useState<TranscriptSummary[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const made = useRef(new Map<Task, TranscriptSummary>())
  const measured = useRef(new Map<TaskId, Sizes>())

  const show = useCallback(() => {
    const summaries = new Map<Task, TranscriptSummary>()
    for (const task of ledger.store.getState().ledger.tasks.values()) {
      if (task.trashed || !(task.hasTranscript || task.hasReport)) continue
      const size = sizesOf(task) ?? measured.current.get(task.id) ?? noSizes
      const before = made.current.get(task)
      const isSame = before?.entries === size.entries && before.bytes === size.bytes
      summaries.set(task, isSame ? before : transcriptSummaryOf(task, size))
    }
    made.current = summaries
    setTranscripts([...summaries.values()])
  }, [ledger])

  const measure = useCallback(async () => {
    const wanted = [...made.current.keys()].filter(
      (task) =>
        sizesOf(task) === null && (isRunning(task.status) || !measured.current.has(task.id)),
    )
    if (wanted.length === 0) return setProblem(null)
    try {
      const taskIds = wanted.map(({ id }) => id)
      const found = await client.workspace.listTranscripts({ taskIds })
      for (const id of taskIds) measured.current.set(id, noSizes)
      for (const { taskId, entries, bytes } of found.transcripts)
        measured.current.set(taskId, { entries, bytes })
      setProblem(null)
      show()
    } catch (error) {
      setProblem(problemOf(error, 'read the sizes of transcripts'))
    }
  }, [client, show])

  const first = useRef(true)
  useEffect(() => {
    if (seq < 0) return
    const read = () => {
      show()
      void measure()
    }
    const timer = setTimeout(read, first.current ? 0 : settleMs)
    first.current = false
    return () => clearTimeout(timer)
  }, [seq, show, measure])
  return { transcripts, problem, reload: () => void measure() }
}

const noSizes: Sizes = { entries: 0, bytes: 0 }

/** Null: the sizes have to be requested. */
const sizesOf = ({ transcriptExpired, transcriptCounts, hasTranscript }: Task): Sizes | null =>
  transcriptExpired || !hasTranscript ? noSizes : (transcriptCounts ?? null)
