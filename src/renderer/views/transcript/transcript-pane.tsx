import { useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TranscriptExpiry } from '../../../shared/records/tasks/transcript-status.ts'
import { dayOf } from '../../../shared/text/format-time.ts'
import {
  TranscriptList,
  type TranscriptListHandle,
} from '../../components/conversation/list/transcript-list.tsx'
import { TaskActionsContext } from '../../components/conversation/task-lookup.ts'
import { EmptyState, NoticeLine, Skeleton } from '../../components/primitives/index.ts'
import { causeWords } from '../../components/task/cause-words.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import { canBeResumed } from '../../components/task/what-next.ts'
import { useChildren, useTask, useTranscript, useTranscriptView } from '../../store/hooks.ts'
import type { OpenAt, TranscriptStore } from '../../store/transcript/transcript-store.ts'
import type { KeyCommand } from '../../store/window/keys.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'
import { ReplayBeside, type ReplayPlace, useReplayed } from '../replay/replay-beside.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { TaskContexts } from '../task/task-contexts.tsx'
import { OutlinePane } from './outline-pane.tsx'
import { PaneBeside, ReportBeside } from './pane-beside.tsx'
import { createReading, type Reading } from './reading.ts'
import { TranscriptFilterPane } from './transcript-filter.tsx'
import { TranscriptFind } from './transcript-find.tsx'
import type { PaneState, TranscriptPanes } from './use-panes.ts'

/** A task's transcript: a live one follows its end, an archived one is read page by page. */
export function TranscriptPane(props: {
  taskId: TaskId
  /**
   * Where an archived one is opened; a live one follows its end, unless it is opened at an entry. Another value moves
   * the open transcript there. Whatever has the transcript's store can move it with `goTo`.
   */
  from: OpenAt
  onViewTranscript(id: TaskId): void
  /** Once there is something to read, keys go to it. */
  takeFocus?: boolean
  /** What is shown beside it. */
  panes: TranscriptPanes
  /** Receives the entry that is read. */
  reading?: StoreApi<Reading>
  /** Each new number shows the newest entries, wherever the reader was. */
  toEnd?: number
  /** Where its keys count. */
  scope?: 'window' | 'dialog'
  /** Absent where a transcript can't be replayed. */
  replay?: ReplayPlace
}) {
  const { taskId, from, onViewTranscript, takeFocus = false, toEnd = 0, panes, reading } = props
  const { scope = 'window', replay } = props
  const task = useTask(taskId)
  const root = useTask(task?.rootId ?? null)
  const begun = task === null || task.hasTranscript
  const transcript = useTranscript(begun ? taskId : null, from)
  if (task && !begun) return <EmptyState sentence={notBegun(task, root)} />
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
        <Loading />
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

function OpenTranscript(props: {
  transcript: TranscriptStore
  from: OpenAt
  takeFocus: boolean
  toEnd: number
  scope: 'window' | 'dialog'
  panes: TranscriptPanes
  replay: ReplayPlace | undefined
  reading: StoreApi<Reading> | undefined
}) {
  const { transcript, from, takeFocus, toEnd, scope, panes, reading } = props
  const tasks = useChildren(transcript.taskId)
  useKeys([
    ...rowKeys.map((command) => ({ ...command, scope })),
    ...(tasks.length > 0
      ? [{ keys: 't', label: 'Transcript of the row’s task', group: 'Transcript', scope } as const]
      : []),
    ...(tasks.some(canBeResumed)
      ? [{ keys: 'r', label: 'Resume the row’s task', group: 'Transcript', scope } as const]
      : []),
  ])
  const list = useRef<TranscriptListHandle>(null)
  const view = useTranscriptView(transcript)
  const task = useTask(transcript.taskId)
  const ready = view.phase === 'ready'
  const [own] = useState(() => createReading())
  const position = reading ?? own
  useEffect(() => {
    if (ready && takeFocus) list.current?.focus()
  }, [ready, takeFocus])
  const live = view.source === 'live'
  const { replay, items, through } = useReplayed({
    transcript,
    place: ready ? props.replay : undefined,
    from: from === 'start' && live ? 'end' : from,
    items: view.items,
    entries: view.totalEntries,
  })
  const actions = useContext(TaskActionsContext)
  const actionsHere = useMemo(
    () => ({
      ...actions,
      onGoToEntry: (seq: number) => void transcript.goTo(seq, { focus: true }),
    }),
    [actions, transcript],
  )
  const opened = useRef<OpenAt | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening or closing the replay moves nothing
  useEffect(() => {
    const first = opened.current === null
    opened.current = from
    // The replay moves the transcript.
    if (replay && typeof from === 'number') replay.seek(from)
    else if (typeof from === 'number') void transcript.goTo(from)
    else if (first) return
    else if (from === 'start') void transcript.goTo(1, { pointOut: false })
    else void transcript.jumpToEnd().then(() => list.current?.scrollToEnd())
  }, [transcript, from])
  // Taken back: then there is something to read again.
  const isBack = view.status === 'expired' && task !== null && task.transcriptExpired === null
  useEffect(() => {
    if (isBack) transcript.open(from)
  }, [isBack, from, transcript])
  useEffect(() => {
    if (toEnd > 0) void transcript.jumpToEnd().then(() => list.current?.scrollToEnd())
  }, [toEnd, transcript])
  if (view.phase === 'loading') return <Loading />
  if (view.phase === 'failed' && view.problem)
    return (
      <div className="flex flex-1 items-center justify-center p-8">
        <div className="w-full max-w-[520px]">
          <ProblemNotice
            problem={view.problem}
            action={{ label: 'Try again', onClick: () => transcript.open(from) }}
          />
        </div>
      </div>
    )
  if (task?.transcriptExpired) return <Expired task={task} expired={task.transcriptExpired} />
  const label = `Transcript of ${task?.title ?? 'a task'}`
  const running = task !== null && isRunning(task.status)
  const { outline, report } = panes
  /** The focus leaves a pane before it is gone. */
  const closing = (pane: PaneState) => () => {
    list.current?.focus()
    pane.close()
  }
  return (
    <ReplayBeside replay={replay} place={props.replay} onClose={() => list.current?.focus()}>
      <div className="relative isolate flex min-h-0 min-w-0 flex-1">
        {outline.shown ? (
          <PaneBeside
            label="Outline"
            side="left"
            isSheet={outline.isSheet}
            onClose={closing(outline)}
          >
            <OutlinePane
              transcript={transcript}
              position={position}
              isSheet={outline.isSheet}
              onClose={closing(outline)}
            />
          </PaneBeside>
        ) : null}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <TranscriptState view={view} onRetry={() => void transcript.loadOlder()} />
          <TranscriptFilterPane
            transcript={transcript}
            label={label}
            position={position}
            scope={scope}
          >
            <TranscriptFind transcript={transcript} list={list} scope={scope}>
              <TaskActionsContext value={actionsHere}>
                <TranscriptList
                  ref={list}
                  items={items}
                  label={label}
                  live={live && !replay}
                  damage={view.damage}
                  hasOlder={view.hasOlder}
                  // What came later is not there yet.
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
                  empty={
                    <EmptyState
                      sentence={
                        replay
                          ? 'Nothing had been recorded at this moment.'
                          : running
                            ? 'Starting… nothing to show yet.'
                            : 'Nothing was recorded: the run ended before its first turn.'
                      }
                    />
                  }
                  className="flex-1"
                />
              </TaskActionsContext>
            </TranscriptFind>
          </TranscriptFilterPane>
        </div>
        {task && report?.shown ? (
          <PaneBeside
            label="Report"
            side="right"
            isSheet={report.isSheet}
            onClose={closing(report)}
          >
            <ReportBeside
              task={task}
              isSheet={report.isSheet}
              onOpen={(seq) => {
                if (report.isSheet) report.close()
                void transcript.goTo(seq, { focus: true })
              }}
              onClose={closing(report)}
            />
          </PaneBeside>
        ) : null}
      </div>
    </ReplayBeside>
  )
}

/** The transcript expired or was deleted: when, and whether it can be restored. */
function Expired({ task, expired }: { task: Task; expired: TranscriptExpiry }) {
  const { undoSweep } = useActions()
  const [busy, setBusy] = useState(false)
  const { at, keptUntil, purgedAt, receiptId, asked } = expired
  const went = asked
    ? `You deleted this transcript on ${dayOf(at)}`
    : `This transcript expired on ${dayOf(at)}`
  const kept = task.hasReport ? ' The report is kept.' : ''
  if (purgedAt)
    return (
      <EmptyState
        sentence={`${went}${asked ? ', and it' : ' and'} was permanently deleted on ${dayOf(purgedAt)}.${kept}`}
      />
    )
  return (
    <EmptyState
      sentence={`${went}.${kept} You can restore it until ${dayOf(keptUntil)}.`}
      action={{
        label: 'Restore',
        busy,
        onClick: async () => {
          setBusy(true)
          await undoSweep(receiptId, task.id)
          setBusy(false)
        },
      }}
    />
  )
}

/** Problems of the transcript, above it. */
function TranscriptState(props: { view: ReturnType<typeof useTranscriptView>; onRetry(): void }) {
  const { view, onRetry } = props
  if (view.pageProblem)
    return (
      <NoticeLine
        tone="error"
        className="shrink-0 border-b px-4"
        text={view.pageProblem.message}
        details={[view.pageProblem.details]}
        action={{ label: 'Try again', onClick: onRetry }}
      />
    )
  const text = statusTexts[view.status ?? 'complete']
  return text ? <NoticeLine tone="warning" className="shrink-0 border-b px-4" text={text} /> : null
}

const statusTexts = {
  complete: null,
  'partial-only':
    'Only an unfinished message was saved: the agent stopped before its first turn ended.',
  // Shown in place of the entries.
  expired: null,
  missing: 'The transcript is missing. The report and the entry in the ledger are there.',
  damaged: 'Parts of this transcript are damaged. They are kept in the file and marked below.',
} as const

function Loading() {
  return (
    <div className="min-h-0 flex-1 overflow-hidden" aria-busy>
      <div className="mx-auto max-w-reading px-6 py-6">
        <Skeleton lines={8} />
      </div>
    </div>
  )
}

function notBegun(task: Task, root: Task | null): string {
  const { agentsAtOnce } = task.options
  switch (shownStatus(task, root)) {
    case 'not-started':
      return 'Not started when Shiplog quit. A follow-up to its root starts it.'
    case 'queued':
      return `Waiting for a free slot: at most ${agentsAtOnce === 1 ? '1 agent runs' : `${agentsAtOnce} agents run`} at the same time.`
    case 'blocked':
      return `Blocked: ${task.cause ? causeWords(task.cause) : 'a task it depends on did not complete'}.`
    case 'spawned':
    case 'resumed':
      return 'Creating the workspace…'
    default:
      return `Never started${task.cause ? `: ${causeWords(task.cause)}` : ''}.`
  }
}
