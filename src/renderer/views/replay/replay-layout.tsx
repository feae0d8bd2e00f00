import { type ReactNode, useState } from 'react'
import { markAt } from '../../../shared/projections/replay/replay-state.ts'
import type { TranscriptItem } from '../../../shared/projections/transcript/transcript-items.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { useStores } from '../../store/hooks.ts'
import type { Replay } from '../../store/replay/replay-store.ts'
import { seqAtTime } from '../../store/replay/seq-at-time.ts'
import type {
  OpenAt,
  TranscriptStore,
  TranscriptView,
} from '../../store/transcript/transcript-store.ts'
import { ReplayBar } from './replay-bar.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { useFollowed, useMomentSettled, useReplay } from './use-replay.ts'

/** The replay in the address: whether one is open, and how to change that. */
export interface ReplayPlace {
  open: boolean
  /** Null closes it. `seq`: the moment. */
  onChange(moment: { seq?: number } | null): void
  onCopyLink(seq: number): void
  /** Opens the replay of another agent at an entry. */
  onAgent(id: TaskId, seq: number): void
}

interface Replayed {
  /** Null: the transcript is shown as it is. */
  replay: Replay | null
  /** The items up to the moment. */
  items: TranscriptItem[]
  /** The last entry that is shown; null if all entries are. */
  through: number | null
  /** The time of the moment; null at the end. */
  atMs: number | null
}

/** The replay of an open transcript. Moving the replay scrolls the transcript. */
export function useReplayed(props: {
  transcript: TranscriptStore
  place: ReplayPlace | undefined
  /** Where the transcript was opened. */
  from: OpenAt
  view: TranscriptView
}): Replayed {
  const { transcript, place, from, view } = props
  const { taskId } = transcript
  const open = place?.open === true
  const replay = useReplay({ taskId, open, at: from, entries: view.totalEntries })
  useMomentSettled(replay, (seq) => place?.onChange({ seq }))
  const followed = useFollowed(replay, transcript, view)
  const timeline = replay?.store.getState().timeline
  const mark = timeline && followed.through !== null && markAt(timeline, followed.through)
  const atMs = (typeof mark === 'number' && timeline?.marks[mark]?.at) || null
  return { replay, ...followed, atMs }
}

/** A transcript with its timeline below and the state and files of the moment on the right. */
export function ReplayLayout(props: {
  replay: Replay | null
  place: ReplayPlace | undefined
  /** Called before it closes, with the focus in it. */
  onClose(): void
  children: ReactNode
}) {
  const { replay, place, onClose, children } = props
  const { client, navigation } = useStores()
  const [panelOpen, setPanelOpen] = useState(() =>
    hasRoomForPanel(navigation.route.getState().screen === 'archive'),
  )
  /** Opens the other agent's replay at the time of this one's moment. */
  const openAgent = async (from: Replay, id: TaskId) => {
    const { timeline, seq } = from.store.getState()
    const atMs = timeline.marks[markAt(timeline, seq)]?.at
    const at = atMs === undefined ? null : await seqAtTime({ client, taskId: id, atMs })
    place?.onAgent(id, at ?? 1)
  }
  return (
    <>
      <div className="relative flex min-h-0 flex-1">
        {children}
        {replay && panelOpen ? (
          <ReplayPanel
            taskId={replay.taskId}
            replay={replay}
            onAgent={(id) => void openAgent(replay, id)}
            onClose={() => setPanelOpen(false)}
          />
        ) : null}
      </div>
      {replay ? (
        <ReplayBar
          replay={replay}
          panelOpen={panelOpen}
          onPanel={() => setPanelOpen(!panelOpen)}
          onCopyLink={() => place?.onCopyLink(replay.store.getState().seq)}
          onClose={() => {
            onClose()
            place?.onChange(null)
          }}
        />
      ) : null}
    </>
  )
}

/** Without room beside the transcript the panel covers it, and opens only on request. */
const hasRoomForPanel = (isBesideList: boolean): boolean =>
  matchMedia(`(min-width: ${isBesideList ? 1480 : 1000}px)`).matches
