import type { RefObject } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Composer } from '../../components/composer/composer.tsx'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useTaskComposer } from './use-task-composer.tsx'
import { WaitingPrompts } from './waiting-prompts.tsx'

/** The composer of a running sub-agent, which reads messages before its next step (Q3). */
export function SteerComposer(props: {
  task: Task
  /** Esc was pressed once: the next one stops the agent. */
  stopsNext: boolean
  composer: RefObject<HTMLTextAreaElement | null>
}) {
  const { task } = props
  const { composerProps, problem, send, edit } = useTaskComposer({ ...props, what: 'message' })
  return (
    <>
      <WaitingPrompts task={task} onEdit={edit} />
      {problem ? <ProblemNotice problem={problem} /> : null}
      <Composer
        {...composerProps}
        label="Message"
        placeholder="Send a message to this sub-agent"
        onSend={(prompt) => void send(prompt, { atNextTurn: true })}
        running
        sendsNow
      />
    </>
  )
}
