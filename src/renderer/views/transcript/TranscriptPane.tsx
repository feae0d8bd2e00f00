import { useEffect, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import { isRunning, type Task, type TranscriptExpiry } from '../../../shared/tasks.ts'
import {
  TranscriptList,
  type TranscriptListHandle,
} from '../../components/conversation/transcript-list.tsx'
import { dayOf } from '../../components/primitives/format.ts'
import { EmptyState, NoticeLine, Skeleton } from '../../components/primitives/index.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import { useTask, useTranscript, useTranscriptView } from '../../store/hooks.ts'
import type { TranscriptStore } from '../../store/transcript-store.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'
import { useActions } from '../app/use-actions.ts'
import { TaskContexts } from '../task/TaskContexts.tsx'

/** A task's transcript in whatever place: live ones follow, archived ones are read page by page. */
export function TranscriptPane(props: {
  taskId: TaskId
  /** Where an archived one is opened; a live one follows its end. */
  from: 'start' | 'end'
  onViewTranscript(id: TaskId): void
  /** Once there is something to read, keys go to it. */
  takeFocus?: boolean
  /** Each new number shows the newest entries, wherever the reader was. */
  toEnd?: number
}) {
  const { taskId, from, onViewTranscript, takeFocus = false, toEnd = 0 } = props
  const task = useTask(taskId)
  const root = useTask(task?.rootId ?? null)
  const begun = task === null || task.hasTranscript
  const transcript = useTranscript(begun ? taskId : null, from)
  if (task && !begun) return <EmptyState sentence={notBegun(task, root)} />
  return (
    <TaskContexts taskId={taskId} onViewTranscript={onViewTranscript}>
      {transcript ? (
        <OpenTranscript transcript={transcript} from={from} takeFocus={takeFocus} toEnd={toEnd} />
      ) : (
        <Loading />
      )}
    </TaskContexts>
  )
}

function OpenTranscript(props: {
  transcript: TranscriptStore
  from: 'start' | 'end'
  takeFocus: boolean
  toEnd: number
}) {
  const { transcript, from, takeFocus, toEnd } = props
  const list = useRef<TranscriptListHandle>(null)
  const view = useTranscriptView(transcript)
  const task = useTask(transcript.taskId)
  const ready = view.phase === 'ready'
  useEffect(() => {
    if (ready && takeFocus) list.current?.focus()
  }, [ready, takeFocus])
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
  if (view.status === 'expired' && task?.transcriptExpired)
    return <Expired task={task} expired={task.transcriptExpired} />
  const live = view.source === 'live'
  const running = task !== null && isRunning(task.status)
  return (
    <>
      <TranscriptState view={view} onRetry={() => void transcript.loadOlder()} />
      <TranscriptList
        ref={list}
        items={view.items}
        label={`Transcript of ${task?.title ?? 'a task'}`}
        live={live}
        damage={view.damage}
        hasOlder={view.hasOlder}
        hasNewer={view.hasNewer}
        paging={view.paging}
        startAt={live ? 'end' : from}
        onReachStart={() => void transcript.loadOlder()}
        onReachEnd={() => void transcript.loadNewer()}
        onJumpToLatest={() => void transcript.jumpToEnd()}
        empty={
          <EmptyState
            sentence={
              running
                ? 'It has begun and said nothing yet.'
                : 'Nothing was recorded: it ended before its first turn.'
            }
          />
        }
        className="flex-1"
      />
    </>
  )
}

/** Retention took it away: when, and whether it can be had back. */
function Expired({ task, expired }: { task: Task; expired: TranscriptExpiry }) {
  const { undoSweep } = useActions()
  const [busy, setBusy] = useState(false)
  const { at, keptUntil, purgedAt, receiptId } = expired
  const kept = task.hasReport ? ' Its report is kept.' : ''
  if (purgedAt)
    return (
      <EmptyState
        sentence={`This transcript expired on ${dayOf(at)}, and was deleted for good on ${dayOf(purgedAt)}.${kept}`}
      />
    )
  return (
    <EmptyState
      sentence={`This transcript expired on ${dayOf(at)}.${kept} It can be restored until ${dayOf(keptUntil)}.`}
      action={{
        label: 'Restore it',
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

/** What is not as it should be, above the transcript. */
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
    'Only its unfinished message was kept: it was cut off before its first turn ended.',
  // Said in place of the entries.
  expired: null,
  missing: 'Its transcript is not there. Its report and its record in the ledger are.',
  damaged: 'Parts of it are damaged. They are kept, and marked where they are.',
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
      return 'It had not begun when Shiplog ended. A follow-up to its root takes it up.'
    case 'queued':
      return `It waits for its turn: ${agentsAtOnce === 1 ? '1 agent works' : `${agentsAtOnce} agents work`} at the same time.`
    case 'blocked':
      return `It is blocked: ${task.error ?? 'something it depends on did not complete'}.`
    case 'spawned':
    case 'resumed':
      return 'Its workspace is being made.'
    default:
      return `It never began${task.error ? `: ${task.error}` : ''}.`
  }
}
