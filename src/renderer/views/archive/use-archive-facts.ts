/** Data that the archive's filters request from the host, only while they are shown. */
import { useEffect, useState } from 'react'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'

/** `using`: the tasks that used `tool`; null while none is selected. `open`: whether the list of tools is shown. */
export function useToolFilter(
  open: boolean,
  tool: string,
): { tools: string[] | null; using: ReadonlySet<string> | null } {
  const { client } = useStores()
  const [tools, setTools] = useState<string[] | null>(null)
  const [using, setUsing] = useState<{ of: string; tasks: ReadonlySet<string> } | null>(null)
  useEffect(() => {
    if (!open) return
    let isOver = false
    // Without an index the list of tools stays empty.
    client.search.tools().then(
      (found) => isOver || setTools(found.tools),
      () => isOver || setTools([]),
    )
    return () => {
      isOver = true
    }
  }, [client, open])
  useEffect(() => {
    if (tool === '') return
    let isOver = false
    const take = (taskIds: readonly string[]) =>
      isOver || setUsing({ of: tool, tasks: new Set(taskIds) })
    client.search.tasksUsing({ tool }).then(
      ({ taskIds }) => take(taskIds),
      () => take([]),
    )
    return () => {
      isOver = true
    }
  }, [client, tool])
  return { tools, using: tool === '' ? null : using?.of === tool ? using.tasks : noTasks }
}

export interface CleanUp {
  /** Tasks whose transcripts the next sweep would remove. */
  ids: ReadonlySet<string>
  isKnown: boolean
  /** Whether the clock looks wrong, so that nothing would be removed. */
  clockAhead: boolean
  problem: Problem | null
}

const noTasks: ReadonlySet<string> = new Set()
const unknown: CleanUp = { ids: noTasks, isKnown: false, clockAhead: false, problem: null }

/** What the next sweep would remove, read again when the ledger has grown. */
export function useCleanUp(wanted: boolean): CleanUp {
  const { client } = useStores()
  const seq = useLedger(({ ledger }) => (wanted ? ledger.seq : 0))
  const [cleanUp, setCleanUp] = useState(unknown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new `seq` repeats the request
  useEffect(() => {
    if (!wanted) return
    let isOver = false
    client.retention.preview({}).then(
      ({ removed, clockAhead }) => {
        const ids = new Set(removed.flatMap(({ id, kind }) => (kind === 'transcript' ? [id] : [])))
        if (!isOver)
          setCleanUp({ ids, isKnown: true, clockAhead: clockAhead !== null, problem: null })
      },
      (error: unknown) => {
        const problem = problemOf(error, 'read what the next clean-up removes')
        if (!isOver) setCleanUp({ ...unknown, isKnown: true, problem })
      },
    )
    return () => {
      isOver = true
    }
  }, [client, wanted, seq])
  return cleanUp
}
