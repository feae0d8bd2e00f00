import { useCallback, useEffect, useRef, useState } from 'react'
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'

/** A burst of events is one reading of the list. */
const settleMs = 300

/** Everything that is kept, read when the screen is shown and again when the ledger has grown. */
export function useTranscripts(): {
  /** Null until it was read once. */
  transcripts: TranscriptSummary[] | null
  problem: Problem | null
  reload(): void
} {
  const { client } = useStores()
  const seq = useLedger(({ ledger }) => ledger.seq)
  const [transcripts, setTranscripts] = useState<TranscriptSummary[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const reload = useCallback(() => {
    client.workspace.listTranscripts({}).then(
      (list) => {
        setTranscripts(list.transcripts)
        setProblem(null)
      },
      (error: unknown) => setProblem(problemOf(error, 'read the archive')),
    )
  }, [client])
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new `seq` asks for another reading
  useEffect(() => {
    const timer = setTimeout(reload, first.current ? 0 : settleMs)
    first.current = false
    return () => clearTimeout(timer)
  }, [seq, reload])
  return { transcripts, problem, reload }
}
