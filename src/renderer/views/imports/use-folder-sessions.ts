import { useCallback, useEffect, useState } from 'react'
import type { FoundImportSession, ImportSourceFound } from '../../../shared/contract/imports.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

/** The sessions of one folder of another tool. `found` is null until they are read. */
export function useFolderSessions(tool: ImportSourceFound['tool'], dir: string | null) {
  const { client } = useStores()
  const [found, setFound] = useState<{ sessions: FoundImportSession[]; more: number } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [tried, setTried] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try reads again
  useEffect(() => {
    const ending = new AbortController()
    client.imports.sessions({ tool, dir }, { signal: ending.signal }).then(
      (answer) => {
        setFound(answer)
        setProblem(null)
      },
      (error: unknown) => {
        if (!ending.signal.aborted) setProblem(problemOf(error, 'list the sessions'))
      },
    )
    return () => ending.abort()
  }, [client, tool, dir, tried])
  return { found, problem, load: useCallback(() => setTried((before) => before + 1), []) }
}
