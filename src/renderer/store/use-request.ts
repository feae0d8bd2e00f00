import { useCallback, useEffect, useRef, useState } from 'react'
import { type Problem, problemOf } from '../rpc/problem.ts'

interface RequestView<Answer> {
  /** Null before the first answer; the previous answer while a request is repeated. */
  answer: Answer | null
  problem: Problem | null
  reload(): void
}

/** Sends `request` when first shown, and on `reload`. `doing` is for its error: `read the limits`. */
export function useRequest<Answer>(
  request: () => Promise<Answer>,
  doing: string,
): RequestView<Answer> {
  const [view, setView] = useState<Omit<RequestView<Answer>, 'reload'>>({
    answer: null,
    problem: null,
  })
  const [reloads, setReloads] = useState(0)
  const latest = useRef(request)
  latest.current = request
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reloads` changes to send the request again
  useEffect(() => {
    let wanted = true
    latest.current().then(
      (answer) => wanted && setView({ answer, problem: null }),
      (error: unknown) =>
        wanted && setView((before) => ({ ...before, problem: problemOf(error, doing) })),
    )
    return () => {
      wanted = false
    }
  }, [reloads, doing])
  const reload = useCallback(() => setReloads((count) => count + 1), [])
  return { ...view, reload }
}
