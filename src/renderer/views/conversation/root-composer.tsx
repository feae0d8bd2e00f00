import { type RefObject, useState } from 'react'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Composer } from '../../components/composer/composer.tsx'
import { useQuestions, useStores } from '../../store/hooks.ts'
import { resumableBelow } from '../../store/resume/resumable.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { type NextRunPicker, NextRunPickers } from '../composer/next-run-pickers.tsx'
import { useComposerCommands } from '../composer/use-composer-commands.ts'
import { BudgetLine } from '../limits/budget-line.tsx'
import { SleepLine } from '../limits/sleep-line.tsx'
import { PendingPrompt } from '../permissions/pending-prompt.tsx'
import { hasResumeLine, InterruptedLine } from './interrupted-line.tsx'
import { ResultLine } from './result-line.tsx'
import { SilenceLine } from './silence-line.tsx'
import { useTaskComposer } from './use-task-composer.tsx'
import { WaitingPrompts } from './waiting-prompts.tsx'

/** The composer of a root, with the lines above it. */
export function RootComposer(props: {
  task: Task
  /** Esc was pressed once: the next one stops the agent. */
  stopsNext: boolean
  onSent(): void
  onReview(): void
  composer: RefObject<HTMLTextAreaElement | null>
}) {
  const { task, onSent, onReview, composer } = props
  const { ledger, overlay } = useStores()
  const [picker, setPicker] = useState<NextRunPicker | null>(null)
  const commands = useComposerCommands(task, { onPick: setPicker, onReview })
  const { composerProps, problem, send, edit } = useTaskComposer({ ...props, what: 'follow-up' })
  const running = isRunning(task.status)
  const isAsked = useQuestions().some(
    ({ kind, chain }) => kind === 'question' && chain.some(({ taskId }) => taskId === task.id),
  )
  const isScripted = task.spec.kind === 'scripted'

  const sendPrompt = async (prompt: string, atNextTurn: boolean) => {
    if (await send(prompt, { atNextTurn })) onSent()
  }
  const sendOrConfirm = (prompt: string) => {
    const { tasks } = ledger.store.getState().ledger
    const interrupted = resumableBelow(tasks, task.id).length
    const onSend = () => void sendPrompt(prompt, false)
    if (running || interrupted === 0) onSend()
    else overlay.show({ kind: 'follow-up', taskId: task.id, interrupted, onSend })
  }
  return (
    <div className="shrink-0 px-6 pt-1 pb-4">
      <div className="mx-auto flex max-w-reading flex-col gap-2">
        <PendingPrompt taskId={task.id} composer={composer} />
        <ResultLine task={task} onReview={onReview} />
        <WaitingPrompts task={task} onEdit={edit} />
        <BudgetLine task={task} />
        <SleepLine task={task} />
        <SilenceLine task={task} />
        {problem ? <ProblemNotice problem={problem} /> : null}
        {hasResumeLine(task) ? <InterruptedLine task={task} /> : null}
        <Composer
          {...composerProps}
          label="Follow-up"
          placeholder={
            isAsked
              ? 'Write a follow-up: the question has a field of its own'
              : running
                ? 'Write a follow-up'
                : 'Send a follow-up'
          }
          onSend={sendOrConfirm}
          onSendNow={isScripted ? undefined : (prompt) => void sendPrompt(prompt, true)}
          running={running}
          attachments={isScripted ? undefined : composerProps.attachments}
          commands={commands}
          controls={
            <NextRunPickers
              task={task}
              draft={composerProps.draft}
              open={picker}
              onOpenChange={setPicker}
              returnTo={composer}
            />
          }
        />
      </div>
    </div>
  )
}
