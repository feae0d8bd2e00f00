/** Toasts for the outcome of resuming agents. */
import { isStoppedByPerson } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeEnd, ResumeOutcome } from '../../../shared/records/resume.ts'
import { allOf, counted } from '../../components/primitives/format.ts'
import { toast } from '../../components/primitives/index.ts'
import { shortCause } from '../../components/task/plain-cause.ts'
import type { Problem } from '../../rpc/problem.ts'
import type { FollowedEnds } from '../../store/resume/resumes.ts'
import { readShownMs } from '../app/toasts.ts'

type TitleOf = (id: TaskId) => string

/** A toast has room for this many. */
const causesShownMax = 3

/** Shows how many agents were resumed, restarted, abandoned or refused. `show`: the button that opens one. */
export function showResumed(
  outcome: ResumeOutcome,
  titleOf: TitleOf,
  show: (id: TaskId) => { label: string; onClick(): void },
): void {
  const { accepted, restarted, abandoned, refused } = outcome
  const [first] = accepted
  if (first && accepted.length + restarted.length + abandoned.length + refused.length === 1) {
    toast.success(`Resumed “${titleOf(first.taskId)}”.`, { action: show(first.taskId) })
    return
  }
  const lines = [
    accepted.length > 0 ? `Resumed ${counted(accepted.length, 'agent')}.` : null,
    restarted.length > 0 ? `Restarted ${counted(restarted.length, 'agent')}.` : null,
    abandoned.length > 0 ? `Abandoned ${counted(abandoned.length, 'agent')}.` : null,
  ].filter((text) => text !== null)
  if (refused.length > 0)
    toast.warning([...lines, `${refused.length} could not be resumed.`].join(' '), {
      description: refused.map(({ message }) => message).join('\n'),
      duration: readShownMs,
    })
  else if (lines.length > 0) toast.success(lines.join(' '))
}

/** Shows how resumed agents ended, after the last of them has. */
export function showEnds({ ends, stopped, cancelled }: FollowedEnds, titleOf: TitleOf): void {
  const completed = ends.filter(({ status }) => status === 'completed').length
  if (completed === ends.length) {
    toast.success(`${allOf(ends.length)} resumed agents completed.`)
    return
  }
  const others = ends.filter(({ status }) => status !== 'completed')
  const neverStarted = others.filter(({ taskId }) => cancelled.has(taskId)).length
  const ended = others.filter(({ taskId }) => !cancelled.has(taskId))
  const byPerson = stopped ? ended.filter(({ cause }) => isStoppedByPerson(cause)) : []
  const lines = [
    byPerson.length > 0
      ? `${counted(byPerson.length, 'running agent')} stopped. The partial output was saved.`
      : null,
    neverStarted > 0 ? `${counted(neverStarted, 'agent')} had not started yet.` : null,
    ...causeLines(
      ended.filter((end) => !byPerson.includes(end)),
      titleOf,
    ),
  ].filter((line) => line !== null)
  const options = { description: lines.join('\n'), duration: readShownMs }
  if (stopped) toast(`Stopped. ${completed} of ${ends.length} completed.`, options)
  else toast.warning(`${completed} of ${ends.length} resumed agents completed.`, options)
}

function causeLines(ends: ResumeEnd[], titleOf: TitleOf): string[] {
  const lines = ends
    .slice(0, causesShownMax)
    .map(({ taskId, cause, status }) => `${titleOf(taskId)}: ${cause ? shortCause(cause) : status}`)
  return ends.length > causesShownMax
    ? [...lines, `and ${ends.length - causesShownMax} more`]
    : lines
}

/** Returns the reason why nothing was done; null if something was. */
export function problemOfOutcome(outcome: ResumeOutcome): Problem | null {
  const { accepted, restarted, abandoned, refused } = outcome
  const [first] = refused
  if (!first || accepted.length + restarted.length + abandoned.length > 0) return null
  const message =
    refused.length === 1 ? first.message : `None of the ${refused.length} agents could be resumed.`
  return {
    code: 'REFUSED',
    message,
    next:
      first.reason === 'conflicts'
        ? 'Files changed in the meantime. Review the list again.'
        : 'Nothing was changed. You can try again.',
    reason: null,
    details: refused.map((one) => `${one.taskId}: ${one.reason}: ${one.message}`).join('\n'),
    field: null,
  }
}
