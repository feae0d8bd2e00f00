/** Notices above a transcript, and the screens in place of one. */
import { useState } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TranscriptExpiry } from '../../../shared/records/tasks/transcript-status.ts'
import { dayOf } from '../../../shared/text/format-time.ts'
import { EmptyState, NoticeLine, Skeleton } from '../../components/primitives/index.ts'
import { plainCause } from '../../components/task/plain-cause.ts'
import { shownStatus } from '../../components/task/shown-status.ts'
import type { Problem } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import type { OpenAt, TranscriptView } from '../../store/transcript/transcript-store.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'

export function LoadingTranscript() {
  return (
    <div className="min-h-0 flex-1 overflow-hidden" aria-busy>
      <div className="mx-auto max-w-reading px-6 py-6">
        <Skeleton lines={8} />
      </div>
    </div>
  )
}

export function UnreadableTranscript({ problem, onRetry }: { problem: Problem; onRetry(): void }) {
  return (
    <div className="flex flex-1 items-center justify-center p-8">
      <div className="w-full max-w-[520px]">
        <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: onRetry }} />
      </div>
    </div>
  )
}

/** Says when the transcript expired or was deleted, and offers to restore it. */
export function ExpiredTranscript({ task, expired }: { task: Task; expired: TranscriptExpiry }) {
  const { undoSweep } = useActions()
  const { navigation, overlay } = useStores()
  const [busy, setBusy] = useState(false)
  const { at, keptUntil, purgedAt, receiptId, byPerson } = expired
  const went = byPerson
    ? `You deleted this transcript on ${dayOf(at)}`
    : `This transcript expired on ${dayOf(at)}`
  const kept = task.hasReport ? ' The report is kept.' : ''
  const readReport = task.hasReport
    ? {
        label: 'Read the report',
        onClick: () => {
          overlay.hide()
          navigation.go({ screen: 'archive', taskId: task.id, tab: 'report' })
        },
      }
    : undefined
  if (purgedAt)
    return (
      <EmptyState
        sentence={`${went}${byPerson ? ', and it' : ' and'} was permanently deleted on ${dayOf(purgedAt)}.${kept}`}
        secondAction={readReport}
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
      secondAction={readReport}
    />
  )
}

/** A page that could not be read, or a transcript that is not complete. */
export function TranscriptNotice(props: { view: TranscriptView; onRetry(): void }) {
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

/** Says that a link names an entry after the last one. */
export function MissingEntry({ from, view }: { from: OpenAt; view: TranscriptView }) {
  const { totalEntries } = view
  if (typeof from !== 'number' || totalEntries === 0 || from <= totalEntries) return null
  return (
    <NoticeLine
      tone="warning"
      className="shrink-0 border-b px-4"
      text={`This transcript has no entry ${from}: it ends with entry ${totalEntries}.`}
    />
  )
}

const statusTexts = {
  complete: null,
  'partial-only':
    'Only an unfinished message was saved: the agent stopped before its first turn ended.',
  // Shown in place of the entries.
  expired: null,
  missing: 'The transcript is missing. The report and the ledger’s records are kept.',
  damaged: 'Parts of this transcript are damaged or missing. Each is marked below.',
} as const

/** Why a task has no transcript yet, or never had one. `root`: the root of its tree. */
export function NotStarted({ task, root }: { task: Task; root: Task | null }) {
  return <EmptyState sentence={notStartedText(task, root)} />
}

function notStartedText(task: Task, root: Task | null): string {
  const { agentsAtOnce } = task.options
  switch (shownStatus(task, root)) {
    case 'not-started':
      return 'Not started when Shiplog quit. A follow-up to its root starts it.'
    case 'queued':
      return `Waiting for a free slot: at most ${agentsAtOnce === 1 ? '1 agent runs' : `${agentsAtOnce} agents run`} at the same time.`
    case 'blocked':
      return `Blocked: ${task.cause ? plainCause(task.cause) : 'a task it depends on did not complete'}.`
    case 'spawned':
    case 'resumed':
      return 'Creating the workspace…'
    default:
      return `Never started${task.cause ? `: ${plainCause(task.cause)}` : ''}.`
  }
}
