import { useEffect, useState } from 'react'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { Task } from '../../../shared/records/tasks.ts'
import { TextButton } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { taskRoute } from '../../store/window/route.ts'

/** More turns than these are no help to a reader of one file. */
const turnsMax = 12

/** The turns in which a file was changed, by the files after each turn; each leads to its place in the transcript. */
export function FileTurns({ task, path }: { task: Task; path: string }) {
  const { client, navigation } = useStores()
  const [turns, setTurns] = useState<{ turn: number; seq: number }[]>([])
  useEffect(() => {
    const abort = new AbortController()
    turnsOf(client, task.id, path, abort.signal).then(
      (found) => !abort.signal.aborted && setTurns(found),
      // Only a shortcut is missing; the transcript says why it can't be read.
      () => {},
    )
    return () => abort.abort()
  }, [client, task.id, path])
  if (turns.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-2 text-small text-muted">
      Changed in
      {turns.map(({ turn, seq }) => (
        <TextButton
          key={turn}
          onClick={() => navigation.go({ ...taskRoute(task.rootId), transcriptOf: task.id, seq })}
        >
          turn {turn}
        </TextButton>
      ))}
    </p>
  )
}

async function turnsOf(
  client: ShiplogClient,
  taskId: Task['id'],
  path: string,
  signal: AbortSignal,
): Promise<{ turn: number; seq: number }[]> {
  const query = `task:${taskId} kind:files file:"${path.replaceAll('"', '')}"`
  // The index rests while something is recorded, and the last turn is the one that is reviewed.
  const asked = { query, limit: turnsMax * 2, wait: true }
  const { hits } = await client.search.find(asked, { signal })
  const found = await Promise.all(
    hits
      .filter((hit) => hit.taskId === taskId)
      .map(async ({ seq }) => {
        if (seq === null) return null
        const page = await client.transcripts.page({ taskId, at: { seq }, limit: 1 }, { signal })
        const [entry] = page.entries
        return entry?.type === 'workspace-snapshot' && entry.turn !== null
          ? { turn: entry.turn, seq }
          : null
      }),
  )
  const byTurn = new Map(found.flatMap((one) => (one ? [[one.turn, one] as const] : [])))
  return [...byTurn.values()].toSorted((a, b) => a.turn - b.turn).slice(-turnsMax)
}
