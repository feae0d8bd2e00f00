import { useRef } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { counted } from '../../components/primitives/format.ts'
import { Button, DialogShell } from '../../components/primitives/index.ts'
import { useStores, useTask } from '../../store/hooks.ts'
import { useResumeActions } from './use-resume-actions.ts'

/** Confirms a follow-up to a root whose sub-agents are interrupted, because the root would continue without them. */
export function FollowUpDialog(props: { taskId: TaskId; interrupted: number; onSend(): void }) {
  const { taskId, interrupted, onSend } = props
  const { overlay } = useStores()
  const { resumeTree } = useResumeActions()
  const task = useTask(taskId)
  const first = useRef<HTMLButtonElement>(null)
  const one = interrupted === 1
  const send = () => {
    overlay.hide()
    onSend()
  }
  const resumeFirst = () => {
    overlay.hide()
    resumeTree(taskId)
  }
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title={`${counted(interrupted, 'sub-agent is', 'sub-agents are')} interrupted`}
      size="small"
      focus={first}
      footer={
        <>
          <Button onClick={overlay.hide}>Cancel</Button>
          <Button onClick={send}>{one ? 'Leave it and send' : 'Leave them and send'}</Button>
          <Button ref={first} variant="primary" onClick={resumeFirst}>
            {one ? 'Resume it first' : 'Resume them first'}
          </Button>
        </>
      }
    >
      <p className="p-4 text-read">
        {one ? 'A sub-agent' : `${interrupted} sub-agents`} of “
        <bdi>{task?.title ?? 'this agent'}</bdi>” {one ? 'has' : 'have'} not finished. If you send
        the follow-up now, the agent continues without {one ? 'it' : 'them'}; you can still resume{' '}
        {one ? 'it' : 'them'} later. Your text is kept either way.
      </p>
    </DialogShell>
  )
}
