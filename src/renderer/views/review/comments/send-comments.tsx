import { Send } from 'lucide-react'
import { useState } from 'react'
import { commentsRecipient } from '../../../../shared/projections/ledger/comments-recipient.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../components/primitives/format.ts'
import { Button, toast } from '../../../components/primitives/index.ts'
import { problemOf } from '../../../rpc/problem.ts'
import { useLedger, useStores, useUnreachable } from '../../../store/hooks.ts'
import { showProblem } from '../../app/toasts.ts'

/** Sends the draft comments on a task's changes as one follow-up. Nothing while there are none. */
export function SendComments({ task }: { task: Task }) {
  const { client } = useStores()
  const unreachable = useUnreachable()
  const to = useLedger(({ ledger }) => commentsRecipient(task, ledger.tasks).to)
  const { atNextTurn } = commentsRecipient(task, new Map([[to.id, to]]))
  const [busy, setBusy] = useState(false)
  const drafts = task.reviewComments?.filter(({ sent }) => sent === null) ?? []
  if (drafts.length === 0) return null
  const isOwn = to.id === task.id
  const notNow =
    unreachable ??
    (to.workspace?.removal
      ? 'Its workspace was removed: continue from it to send comments'
      : undefined)
  const send = async () => {
    setBusy(true)
    try {
      const { sent } = await client.review.sendComments({ taskId: task.id })
      toast(`Sent ${counted(sent, 'comment')} to “${to.title}”.`)
    } catch (error) {
      showProblem(problemOf(error, 'send the comments'))
    }
    setBusy(false)
  }
  return (
    <div className="flex shrink-0 items-center gap-3 border-t px-4 py-2">
      <span className="min-w-0 flex-1 text-muted">
        {counted(drafts.length, 'comment')} not sent yet
        {isOwn ? '' : `; the sub-agent has ended, so “${to.title}” gets them`}
        {atNextTurn ? '; read before the next turn' : ''}
      </span>
      <Button
        variant="primary"
        icon={<Send />}
        busy={busy}
        disabled={notNow !== undefined}
        title={notNow}
        onClick={() => void send()}
      >
        {isOwn ? 'Send to the agent' : 'Send to its root'}
      </Button>
    </div>
  )
}
