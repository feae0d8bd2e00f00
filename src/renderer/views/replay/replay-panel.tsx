import { X } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { PlanItem } from '../../../shared/agents/agent-records.ts'
import type { ReplayState } from '../../../shared/projections/replay/replay-state.ts'
import { statusAt } from '../../../shared/projections/replay/task-at.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { EmptyState, IconButton, Skeleton, Tabs } from '../../components/primitives/index.ts'
import { type ReplayedAgent, ReplayedState } from '../../components/replay/replayed-state.tsx'
import { useChildren, useStores } from '../../store/hooks.ts'
import type { Replay } from '../../store/replay/replay-store.ts'
import { ReplayedFiles } from './replayed-files.tsx'
import { useMoment } from './use-replay.ts'

/** The pane beside a replayed transcript: the state and the files at the moment. */
export function ReplayPanel(props: {
  taskId: TaskId
  replay: Replay
  onAgent(id: TaskId): void
  onClose(): void
}) {
  const { taskId, replay, onAgent, onClose } = props
  const { state, view } = useMoment(replay)
  const { known, phase } = view
  const [tab, setTab] = useState<'state' | 'files'>('state')
  const plan = usePlan(taskId, state.plan?.seq ?? null)
  const agents = useReplayedAgents(taskId, state)
  return (
    <aside
      aria-label="State and files"
      // In a narrow window the pane covers the transcript.
      className="flex min-h-0 w-90 shrink-0 flex-col border-l bg-canvas max-[999px]:absolute max-[999px]:inset-0 max-[999px]:z-20 max-[999px]:w-auto"
    >
      <header className="flex h-9 shrink-0 items-center border-b pr-1 pl-4">
        <h2 className="tabular min-w-0 flex-1 truncate font-semibold">
          {!known
            ? 'State and files'
            : state.turns === 0
              ? 'At the start'
              : `As of turn ${state.turns}`}
        </h2>
        <IconButton size="small" label="Hide state and files" icon={<X />} onClick={onClose} />
      </header>
      {known ? (
        <Tabs
          label="State and files"
          className="flex-1"
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: 'state',
              label: 'State',
              content: (
                <ReplayedState state={state} plan={plan} agents={agents} onAgent={onAgent} />
              ),
            },
            {
              value: 'files',
              label: 'Files',
              content: <ReplayedFiles taskId={taskId} state={state} />,
            },
          ]}
        />
      ) : phase === 'failed' ? (
        <EmptyState sentence="The timeline was not read up to this moment." />
      ) : (
        <Skeleton lines={6} className="p-4" />
      )}
    </aside>
  )
}

/** The items of the plan that the entry `seq` records; null while they are read. */
function usePlan(taskId: TaskId, seq: number | null): PlanItem[] | null {
  const { client } = useStores()
  const [read, setRead] = useState<ReadonlyMap<number, PlanItem[]>>(new Map())
  const known = seq === null ? [] : (read.get(seq) ?? null)
  useEffect(() => {
    if (seq === null || known !== null) return
    const controller = new AbortController()
    const query = { taskId, at: { seq }, limit: 1 }
    client.transcripts.page(query, { signal: controller.signal }).then(
      ({ entries: [entry] }) => {
        const items = entry?.type === 'plan' ? entry.items : []
        setRead((before) => new Map(before).set(seq, items))
      },
      () => {},
    )
    return () => controller.abort()
  }, [client, taskId, seq, known])
  return known
}

/** The sub-agents that were started before the moment. */
function useReplayedAgents(taskId: TaskId, { at, agents }: ReplayState): ReplayedAgent[] {
  const children = useChildren(taskId)
  return useMemo(() => {
    if (at === null) return []
    return children
      .filter(({ createdAt }) => Date.parse(createdAt) <= at)
      .map((task) => ({
        id: task.id,
        title: task.title,
        status: statusAt(task, at),
        lastReported: agents.get(task.id) ?? null,
      }))
  }, [children, at, agents])
}
