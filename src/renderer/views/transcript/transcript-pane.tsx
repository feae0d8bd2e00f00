import { type RefObject, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import { taskAt } from '../../../shared/projections/replay/task-at.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  TranscriptList,
  type TranscriptListHandle,
} from '../../components/conversation/list/transcript-list.tsx'
import { TaskActionsContext } from '../../components/conversation/task-lookup.ts'
import { EmptyState } from '../../components/primitives/index.ts'
import { canBeResumed } from '../../components/task/what-next.ts'
import {
  useActivity,
  useChildren,
  useTask,
  useTranscript,
  useTranscriptView,
} from '../../store/hooks.ts'
import type { Replay } from '../../store/replay/replay-store.ts'
import type { OpenAt, TranscriptStore } from '../../store/transcript/transcript-store.ts'
import type { KeyCommand } from '../../store/window/keys.ts'
import { useArrival } from '../conversation/use-arrival.ts'
import { ReplayLayout, type ReplayPlace, useReplayed } from '../replay/replay-layout.tsx'
import { ReplayedCards } from '../replay/replayed-cards.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { TaskContexts } from '../task/task-contexts.tsx'
import { OutlinePane } from './outline-pane.tsx'
import { createReadingPosition, type ReadingPosition } from './reading.ts'
import { ReportPane, SidePane } from './side-pane.tsx'
import { TranscriptFilterPane } from './transcript-filter.tsx'
import { TranscriptFind } from './transcript-find.tsx'
import {
  ExpiredTranscript,
  LoadingTranscript,
  MissingEntry,
  NotStarted,
  TranscriptNotice,
  UnreadableTranscript,
} from './transcript-states.tsx'
import type { PaneState, TranscriptPanes } from './use-panes.ts'

/** A task's transcript. A live one follows its end; an archived one is loaded page by page. */
export function TranscriptPane(props: {
  taskId: TaskId
  /**
   * Where an archived one is opened; a live one follows its end, unless it is opened at an entry. A new value moves the
   * open transcript there, and `goTo` of its store moves it as well.
   */
  from: OpenAt
  onViewTranscript(id: TaskId): void
  /** Focuses the transcript once it is loaded. */
  takeFocus?: boolean
  /** The panes beside it. */
  panes: TranscriptPanes
  /** Receives the entry that is read. */
  reading?: StoreApi<ReadingPosition>
  /** Each new number scrolls to the newest entries. */
  toEnd?: number
  /** Where its keys are registered. */
  scope?: 'window' | 'dialog'
  /** Absent where a transcript can't be replayed. */
  replay?: ReplayPlace
}) {
  const { taskId, from, onViewTranscript, takeFocus = false, toEnd = 0, panes, reading } = props
  const { scope = 'window', replay } = props
  const task = useTask(taskId)
  const root = useTask(task?.rootId ?? null)
  const isStarted = task === null || task.hasTranscript
  const transcript = useTranscript(isStarted ? taskId : null, from)
  if (task && !isStarted) return <NotStarted task={task} root={root} />
  return (
    <TaskContexts taskId={taskId} onViewTranscript={onViewTranscript}>
      {transcript ? (
        <OpenTranscript
          key={taskId}
          transcript={transcript}
          from={from}
          takeFocus={takeFocus}
          toEnd={toEnd}
          scope={scope}
          panes={panes}
          replay={replay}
          reading={reading}
        />
      ) : (
        <LoadingTranscript />
      )}
    </TaskContexts>
  )
}

/** The list handles these itself. */
const rowKeys: Omit<KeyCommand, 'scope'>[] = [
  { keys: 'j', label: 'Next row', group: 'Transcript' },
  { keys: 'k', label: 'Previous row', group: 'Transcript' },
  { keys: 'Space', also: 'Enter', label: 'Fold or unfold the row', group: 'Transcript' },
  { keys: 'm', label: 'More for the row: copy, link, JSON', group: 'Transcript' },
  { keys: 'Home', label: 'First entry', group: 'Transcript' },
  { keys: 'End', label: 'Latest', group: 'Transcript' },
]

/** `atMs`: the moment of a replay, whose cards are only of the tasks of then; null shows all. */
function useRowKeys(
  taskId: TaskId,
  scope: 'window' | 'dialog',
  { isReplay, atMs }: { isReplay: boolean; atMs: number | null },
): void {
  const all = useChildren(taskId)
  const children = atMs === null ? all : all.filter((task) => taskAt(task, atMs) !== null)
  useKeys([
    ...rowKeys.map((command) => ({ ...command, scope })),
    ...(children.length > 0
      ? [{ keys: 't', label: 'Transcript of the row’s task', group: 'Transcript', scope } as const]
      : []),
    // A replay has no buttons that act on the tasks as they are now.
    ...(!isReplay && children.some(canBeResumed)
      ? [{ keys: 'r', label: 'Resume the row’s task', group: 'Transcript', scope } as const]
      : []),
  ])
}

function OpenTranscript(props: {
  transcript: TranscriptStore
  from: OpenAt
  takeFocus: boolean
  toEnd: number
  scope: 'window' | 'dialog'
  panes: TranscriptPanes
  replay: ReplayPlace | undefined
  reading: StoreApi<ReadingPosition> | undefined
}) {
  const { transcript, from, takeFocus, toEnd, scope, panes, reading } = props
  const list = useRef<TranscriptListHandle>(null)
  const view = useTranscriptView(transcript)
  const task = useTask(transcript.taskId)
  const activity = useActivity(transcript.taskId)
  const ready = view.phase === 'ready'
  const [own] = useState(() => createReadingPosition())
  const position = reading ?? own
  useEffect(() => {
    // A linked entry takes it.
    if (ready && takeFocus && typeof from !== 'number') list.current?.focus()
  }, [ready, takeFocus, from])
  const live = view.source === 'live'
  const { replay, items, through, atMs } = useReplayed({
    transcript,
    place: ready ? props.replay : undefined,
    from: from === 'start' && live ? 'end' : from,
    view,
  })
  useRowKeys(transcript.taskId, scope, { isReplay: replay !== null, atMs })
  const actions = useContext(TaskActionsContext)
  const actionsHere = useMemo(
    () => ({
      ...actions,
      onGoToEntry: (seq: number) => void transcript.goTo(seq, { focus: true }),
    }),
    [actions, transcript],
  )
  useTranscriptMoves({ transcript, from, toEnd, replay, list })
  useArrival(
    transcript.taskId,
    (at) => at === 'entry' && ready,
    () => {
      if (typeof from === 'number') void transcript.goTo(from, { focus: true })
      else list.current?.focus()
    },
  )
  // A restored transcript can be read again.
  const isRestored = view.status === 'expired' && task !== null && task.transcriptExpired === null
  useEffect(() => {
    if (isRestored) transcript.open(from)
  }, [isRestored, from, transcript])
  if (view.phase === 'loading') return <LoadingTranscript />
  if (view.phase === 'failed' && view.problem)
    return <UnreadableTranscript problem={view.problem} onRetry={() => transcript.open(from)} />
  if (task?.transcriptExpired)
    return <ExpiredTranscript task={task} expired={task.transcriptExpired} />
  const label = `Transcript of ${task?.title ?? 'a task'}`
  const { outline, report } = panes
  /** Moves the focus out of a pane before it closes. */
  const closing = (pane: PaneState) => () => {
    list.current?.focus()
    pane.close()
  }
  return (
    <ReplayLayout replay={replay} place={props.replay} onClose={() => list.current?.focus()}>
      <div className="relative isolate flex min-h-0 min-w-0 flex-1">
        {outline.shown ? (
          <SidePane
            label="Outline"
            side="left"
            isSheet={outline.isSheet}
            onClose={closing(outline)}
          >
            <OutlinePane
              transcript={transcript}
              position={position}
              through={through}
              pane={outline}
              onClose={closing(outline)}
            />
          </SidePane>
        ) : null}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <TranscriptNotice view={view} onRetry={() => void transcript.loadOlder()} />
          <MissingEntry from={from} view={view} />
          <TranscriptFilterPane
            transcript={transcript}
            label={label}
            position={position}
            scope={scope}
          >
            <TranscriptFind transcript={transcript} list={list} scope={scope}>
              <TaskActionsContext value={actionsHere}>
                <ReplayedCards isReplay={replay !== null} atMs={atMs}>
                  <TranscriptList
                    ref={list}
                    items={items}
                    label={label}
                    live={live && !replay}
                    damage={view.damage}
                    hasOlder={view.hasOlder}
                    // Entries after the replayed moment are not shown.
                    hasNewer={view.hasNewer && through === null}
                    paging={view.paging}
                    extent={{
                      firstSeq: view.firstSeq,
                      lastSeq: Math.min(view.lastSeq, through ?? view.lastSeq),
                      total: through ?? view.totalEntries,
                      turns: view.turns,
                    }}
                    onGoTo={(seq) => void transcript.goTo(seq, { pointOut: false })}
                    onPosition={(seq, atEnd) => position.setState({ seq, atEnd })}
                    target={view.target}
                    onArrive={transcript.arrived}
                    startAt={typeof from === 'number' ? 'start' : live ? 'end' : from}
                    onReachStart={() => void transcript.loadOlder()}
                    onReachEnd={() => void transcript.loadNewer()}
                    onJumpToLatest={() => void transcript.jumpToEnd()}
                    empty={<EmptyState sentence={emptySentence(task, activity, replay !== null)} />}
                    className="flex-1"
                  />
                </ReplayedCards>
              </TaskActionsContext>
            </TranscriptFind>
          </TranscriptFilterPane>
        </div>
        {task && report?.shown ? (
          <ReportPane
            task={task}
            isSheet={report.isSheet}
            onOpen={(seq) => {
              if (report.isSheet) report.close()
              void transcript.goTo(seq, { focus: true })
            }}
            onClose={closing(report)}
          />
        ) : null}
      </div>
    </ReplayLayout>
  )
}

/** Moves an open transcript when `from` changes, and to its end at each new number of `toEnd`. */
function useTranscriptMoves(props: {
  transcript: TranscriptStore
  from: OpenAt
  toEnd: number
  replay: Replay | null
  list: RefObject<TranscriptListHandle | null>
}): void {
  const { transcript, from, toEnd, replay, list } = props
  const movedTo = useRef<OpenAt | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening or closing the replay moves nothing
  useEffect(() => {
    const isFirst = movedTo.current === null
    movedTo.current = from
    // A replay moves the transcript itself.
    if (replay && typeof from === 'number') replay.seek(from)
    else if (typeof from === 'number') void transcript.goTo(from)
    else if (isFirst) return
    else if (from === 'start') void transcript.goTo(1, { pointOut: false })
    else void transcript.jumpToEnd().then(() => list.current?.scrollToEnd())
  }, [transcript, from])
  useEffect(() => {
    if (toEnd > 0) void transcript.jumpToEnd().then(() => list.current?.scrollToEnd())
  }, [toEnd, transcript, list])
}

function emptySentence(task: Task | null, activity: Activity | null, isReplay: boolean): string {
  if (isReplay) return 'Nothing had been recorded at this moment.'
  if (task && isRunning(task.status))
    return `${activity?.state === 'working' ? activity.text : 'Starting'}… nothing to show yet.`
  return 'Nothing was recorded: the run ended before its first turn.'
}
