import { useCallback, useEffect, useState } from 'react'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useConnectionLost, useStores } from '../../store/hooks.ts'
import { splitPatch } from '../inspector/split-patch.ts'

interface ReviewDiff {
  diff: WorkspaceDiff | null
  problem: Problem | null
  refresh(): void
}

/** The changed files, read again when a run ends, a patch is applied, or on request. */
export function useReviewDiff(task: Task): ReviewDiff {
  const { client } = useStores()
  const lost = useConnectionLost()
  const [diff, setDiff] = useState<WorkspaceDiff | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [attempt, setAttempt] = useState(0)
  const { id, status, patch } = task
  // A short run can begin and end between two renders, with the same status after it.
  const run = task.runs.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these repeats the request
  useEffect(() => {
    if (lost) return
    const abort = new AbortController()
    client.workspace.diff({ workspaceId: id, patch: false }, { signal: abort.signal }).then(
      (found) => {
        setDiff(found)
        setProblem(null)
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setProblem(problemOf(error, 'read the changes'))
      },
    )
    return () => abort.abort()
  }, [client, id, status, run, patch, lost, attempt])
  return { diff, problem, refresh: useCallback(() => setAttempt((n) => n + 1), []) }
}

type FilePatchView =
  | { phase: 'loading' }
  /** `patch` is null if there are no lines to compare: a binary file, or a mere rename. */
  | { phase: 'ready'; patch: string | null; truncated: boolean }
  | { phase: 'failed'; problem: Problem }

/** The patch of one file. The previous patch stays until the next one is loaded. */
export function useFilePatch(
  task: Task,
  file: WorkspaceDiff['files'][number] | null,
  { ignoreSpace, whole }: { ignoreSpace: boolean; whole: boolean },
): FilePatchView {
  const { client } = useStores()
  const [view, setView] = useState<FilePatchView>({ phase: 'loading' })
  const path = file?.path ?? null
  const oldPath = file?.oldPath ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the content repeats the request
  useEffect(() => {
    if (path === null) return
    const abort = new AbortController()
    const paths = oldPath === null ? [path] : [path, oldPath]
    client.workspace
      .diff({ workspaceId: task.id, ignoreSpace, file: { paths, whole } }, { signal: abort.signal })
      .then(
        ({ patch, truncated }) => {
          const one = splitPatch(patch).get(path) ?? null
          const hasLines = one !== null && /^@@ /m.test(one)
          setView({ phase: 'ready', patch: hasLines ? one : null, truncated })
        },
        (error: unknown) => {
          if (!abort.signal.aborted)
            setView({ phase: 'failed', problem: problemOf(error, `read the changes of ${path}`) })
        },
      )
    return () => abort.abort()
  }, [client, task.id, path, oldPath, ignoreSpace, whole, file?.contentId])
  return view
}
