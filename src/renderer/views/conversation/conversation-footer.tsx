import { RotateCcw } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import { useStore } from 'zustand'
import { sleepOf } from '../../../shared/projections/ledger/sleep.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import { isRunning, type Task } from '../../../shared/records/tasks.ts'
import { Composer } from '../../components/composer/composer.tsx'
import {
  ActionLine,
  Button,
  RelativeTime,
  StatusIcon,
  TextButton,
} from '../../components/primitives/index.ts'
import { afterInterrupted, causeWords } from '../../components/task/cause-words.ts'
import { canBeContinued } from '../../components/task/what-next.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import {
  useActivity,
  useLedger,
  usePreference,
  useStores,
  useTask,
  useUnreachable,
} from '../../store/hooks.ts'
import { isWaiting, resumableBelow, stoppedAt } from '../../store/resume/resumable.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'
import { type NextRunPicker, NextRunPickers } from '../composer/next-run-pickers.tsx'
import { imageFile, useAttachments } from '../composer/use-attachments.ts'
import { useComposerCommands } from '../composer/use-composer-commands.ts'
import { BudgetLine } from '../limits/budget-line.tsx'
import { SleepLine } from '../limits/sleep-line.tsx'
import { PendingPrompt } from '../permissions/pending-prompt.tsx'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { ResultLine } from './result-line.tsx'
import { SteerComposer } from './steer-composer.tsx'
import { StopsNext } from './stops-next.tsx'
import { useArrival } from './use-arrival.ts'
import { WaitingPrompts } from './waiting-prompts.tsx'

/** The result of the last run, and where a person writes to a root; for other tasks, why they can't. */
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
        The workspace could not be removed yet: {task.workspace.pending.error}. Shiplog tries again
        at the next start.
      </Line>
    )
  if (task.archived || task.workspace?.removal)
    return <Line>Workspace removed. Transcript and report are in the archive.</Line>
  const canBeSteered = isRunning(task.status) && task.spec.kind === 'model'
  if (task.parentId && stopsNext && !canBeSteered)
    return (
      <Line>
        <StopsNext />
      </Line>
    )
  if (task.parentId)
    return (
      <>
        <div className="shrink-0 px-6 pb-2">
          <div className="mx-auto flex max-w-reading flex-col gap-2">
            <PendingPrompt taskId={task.id} />
            <ResultLine task={task} onReview={onReview} />
            {root && sleepOf(task, root) ? <SleepLine task={root} /> : null}
            {canBeSteered ? (
              <SteerComposer key={task.id} task={task} stopsNext={stopsNext} composer={composer} />
            ) : (
              <WaitingPrompts key={task.id} task={task} />
            )}
          </div>
        </div>
        {canBeSteered ? null : (
          <Line>This is a sub-agent of “{parentTitle}”, which gives it its work. Read-only.</Line>
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
  return cause.kind === 'abandoned' ? ' by you' : `: ${causeWords(cause)}`
}

/** Whether the footer says why a root stopped, and offers Resume. */
export const hasResumeLine = (task: Task): boolean =>
  task.status === 'interrupted' &&
  task.parentId === null &&
  !task.sleep &&
  !task.archived &&
  !task.workspace?.pending &&
  !task.workspace?.removal

/** Why the root stopped, with Resume, above the composer. */
function InterruptedLine({ task }: { task: Task }) {
  const { resume } = useResumeActions()
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const { resumes } = useStores()
  const waiting = isWaiting(task, useActivity(task.id))
  const checking = useStore(resumes.store, (view) => view.looking.has(task.id))
  return (
    <ActionLine
      label="Why it stopped"
      look="attention"
      icon={<StatusIcon status="interrupted" decorative />}
      actions={
        waiting ? null : (
          <Button
            size="small"
            icon={<RotateCcw />}
            shortcut="r"
            busy={checking}
            disabled={lost}
            title={unreachable}
            onClick={() => void resume(task.id)}
          >
            Resume
          </Button>
        )
      }
    >
      <p className="line-clamp-2">
        {waiting ? (
          'Waiting for a free slot.'
        ) : (
          <>
            Interrupted <RelativeTime at={stoppedAt(task)} />
            {afterInterrupted(task.cause)}. Resume to continue, or send a new instruction.
          </>
        )}
      </p>
    </ActionLine>
  )
}

function Line({ children }: { children: ReactNode }) {
  return (
    <p className="untrusted shrink-0 border-t px-4 py-2 text-center text-small text-muted">
      {children}
    </p>
  )
}

function RootComposer(props: {
  task: Task
  stopsNext: boolean
  onSent(): void
  onReview(): void
  composer: RefObject<HTMLTextAreaElement | null>
}) {
  const { task, stopsNext, onSent, onReview, composer } = props
  const { client, ledger, overlay, drafts } = useStores()
  const { stop, wrapUp } = useActions()
  const [text, setText] = useState(() => drafts.of(task.id))
  const [picker, setPicker] = useState<NextRunPicker | null>(null)
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const running = isRunning(task.status)
  useArrival(
    task.id,
    (at) => at === 'composer',
    () => composer.current?.focus(),
  )
  const unreachable = useUnreachable()
  const sendKey = usePreference('sendKey')
  const attachments = useAttachments(task.id)
  const commands = useComposerCommands(task, { onPick: setPicker, onReview })
  const findFiles = async (query: string) =>
    (await client.workspace.findFiles({ workspaceId: task.id, query })).files
  const change = (next: string) => {
    setText(next)
    drafts.set(task.id, next)
  }
  const askFirst = (prompt: string) => {
    const { tasks } = ledger.store.getState().ledger
    const interrupted = resumableBelow(tasks, task.id).length
    const onSend = () => void send(prompt)
    if (running || interrupted === 0) onSend()
    else overlay.show({ kind: 'follow-up', taskId: task.id, interrupted, onSend })
  }
  const send = async (prompt: string, atNextTurn = false) => {
    setSending(true)
    setProblem(null)
    try {
      const images = attachments.toSend()
      await client.tasks.prompt({ taskId: task.id, prompt, images, atNextTurn })
      drafts.sent(task.id, prompt)
      attachments.clear()
      setText('')
      onSent()
    } catch (error) {
      setProblem(problemOf(error, 'send the follow-up'))
    } finally {
      setSending(false)
    }
  }
  return (
    <div className="shrink-0 px-6 pt-1 pb-4">
      <div className="mx-auto flex max-w-reading flex-col gap-2">
        <PendingPrompt taskId={task.id} />
        <ResultLine task={task} onReview={onReview} />
        <WaitingPrompts
          task={task}
          onEdit={(prompt, images) => {
            attachments.onAdd(images.map(imageFile))
            change(text.trim() === '' ? prompt : `${prompt}\n\n${text}`)
            composer.current?.focus()
          }}
        />
        <BudgetLine task={task} />
        <SleepLine task={task} />
        {problem ? <ProblemNotice problem={problem} /> : null}
        {hasResumeLine(task) ? <InterruptedLine task={task} /> : null}
        <Composer
          ref={composer}
          label="Follow-up"
          draft={text}
          onDraftChange={change}
          onSend={askFirst}
          sendKey={sendKey}
          running={running}
          history={drafts.history()}
          sending={sending}
          unreachable={unreachable}
          info={stopsNext ? <StopsNext /> : undefined}
          findFiles={findFiles}
          attachments={task.spec.kind === 'model' ? attachments : undefined}
          commands={commands}
          controls={
            task.spec.kind === 'model' ? (
              <NextRunPickers
                task={task}
                open={picker}
                onOpenChange={setPicker}
                returnTo={composer}
              />
            ) : undefined
          }
          onSendNow={
            task.spec.kind === 'scripted' ? undefined : (prompt) => void send(prompt, true)
          }
          onStop={() => void stop(task.id)}
          onWrapUp={() => void wrapUp(task.id)}
          placeholder={running ? 'Write a follow-up' : 'Send a follow-up'}
        />
      </div>
    </div>
  )
}
