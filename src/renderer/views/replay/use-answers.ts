import { useCallback, useEffect, useState } from 'react'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** Cached answers, so that scrubbing back needs no request. */
const answersMax = 60
/** Keys that change faster than this, as while the moment is dragged, are not requested. */
const restMs = 120

interface Answer<Value> {
  /** While the value of a new key loads, that of the previous key. */
  value: Value | null
  /** False: `value` is of an older key. */
  isCurrent: boolean
  problem: Problem | null
  retry(): void
}

/**
 * Loads the value of `key` and caches it. A key that changes again within `restMs` is skipped; null loads nothing.
 */
export function useAnswer<Value>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Value>,
): Answer<Value> {
  const [kept] = useState(() => new Map<string, Value>())
  const [last, setLast] = useState<Value | null>(null)
  const [failed, setFailed] = useState<{ key: string; problem: Problem } | null>(null)
  const known = key === null ? undefined : kept.get(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the value, not `load`
  useEffect(() => {
    if (key === null || failed?.key === key) return
    if (kept.has(key)) return setLast(kept.get(key) ?? null)
    const controller = new AbortController()
    const timer = setTimeout(() => {
      load(controller.signal).then(
        (value) => {
          if (controller.signal.aborted) return
          kept.set(key, value)
          const [oldest] = kept.keys()
          if (kept.size > answersMax && oldest !== undefined) kept.delete(oldest)
          setLast(value)
        },
        (error) => {
          if (!controller.signal.aborted)
            setFailed({ key, problem: problemOf(error, 'read the files') })
        },
      )
    }, restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key, failed])
  const retry = useCallback(() => setFailed(null), [])
  return {
    value: known ?? last,
    isCurrent: known !== undefined,
    problem: failed !== null && failed.key === key ? failed.problem : null,
    retry,
  }
}
