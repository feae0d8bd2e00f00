import type { ReactNode, RefObject } from 'react'
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { TextButton } from '../../components/primitives/index.ts'
import { plainCause } from '../../components/task/plain-cause.ts'
import { canBeContinued } from '../../components/task/what-next.ts'
import { useLedger, useTask } from '../../store/hooks.ts'
import { SleepLine } from '../limits/sleep-line.tsx'
import { PendingPrompt } from '../permissions/pending-prompt.tsx'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { ResultLine } from './result-line.tsx'
import { RootComposer } from './root-composer.tsx'
import { SilenceLine } from './silence-line.tsx'
import { SteerComposer } from './steer-composer.tsx'
import { StopsNext } from './stops-next.tsx'
import { WaitingPrompts } from './waiting-prompts.tsx'

/** The result of the last run, and the composer of a root; for other tasks, why they take no prompt. */
export function ConversationFooter(props: {
  task: Task
  /** Esc was pressed once: the next one stops the agent. */
  stopsNext: boolean
  onSent(): void
  onReview(): void
  composer: RefObject<HTMLTextAreaElement | null>
}) {
  const { task, stopsNext, onSent, onReview, composer } = props
  const parentTitle = useLedger(
    ({ ledger }) => (task.parentId && ledger.tasks.get(task.parentId)?.title) || null,
  )
  const root = useTask(task.rootId)
  if (!task.archived && task.workspace?.pending)
    return (
      <Line>
        The workspace could not be removed yet: {task.workspace.pending.error}. Shiplog will try
        again at the next start.
      </Line>
    )
  if (task.archived || task.workspace?.removal) return <Line>{removedText(task)}</Line>
  const canBeSteered = isRunning(task.status) && task.spec.kind === 'model'
  if (task.parentId)
    return (
      <>
        <div className="shrink-0 px-6 pb-2">
          <div className="mx-auto flex max-w-reading flex-col gap-2">
            <PendingPrompt taskId={task.id} composer={composer} />
            <ResultLine task={task} onReview={onReview} />
            {root && sleepOf(task, root) ? <SleepLine task={root} /> : null}
            <SilenceLine task={task} />
            {canBeSteered ? (
              <SteerComposer key={task.id} task={task} stopsNext={stopsNext} composer={composer} />
            ) : (
              <WaitingPrompts key={task.id} task={task} />
            )}
          </div>
        </div>
        {canBeSteered ? null : (
          <Line>
            {stopsNext ? (
              <StopsNext />
            ) : (
              `This is a sub-agent of “${parentTitle}”, which assigns its work. Read-only.`
            )}
          </Line>
        )}
      </>
    )
  if (task.status === 'abandoned' || task.status === 'cancelled') return <Ended task={task} />
  return (
    <RootComposer
      key={task.id}
      task={task}
      stopsNext={stopsNext}
      onSent={onSent}
      onReview={onReview}
      composer={composer}
    />
  )
}

function removedText({ transcriptExpired, hasReport }: Task): string {
  if (!transcriptExpired)
    return `Workspace removed. ${hasReport ? 'Transcript and report are' : 'The transcript is'} in the archive.`
  return `Workspace removed${hasReport ? '. The report is in the archive' : ''}.`
}

/** Abandoned or cancelled: it takes no follow-up, but a new task can continue from it. */
function Ended({ task }: { task: Task }) {
  const { continueFrom } = useResumeActions()
  return (
    <Line>
      {task.status === 'abandoned' ? 'Abandoned' : 'Cancelled'}
      {afterEnded(task.cause)}. The transcript is kept.
      {canBeContinued(task) ? (
        <TextButton className="ml-2" onClick={() => continueFrom(task.id)}>
          Continue as a new task…
        </TextButton>
      ) : null}
    </Line>
  )
}

/** ` by you` after `Abandoned`, else the cause after a colon. */
function afterEnded(cause: Cause | null): string {
  if (cause === null) return ''
  return cause.kind === 'abandoned' ? ' by you' : `: ${plainCause(cause)}`
}

function Line({ children }: { children: ReactNode }) {
  return (
    <p className="untrusted shrink-0 border-t px-4 py-2 text-center text-small text-muted">
      {children}
    </p>
  )
}
