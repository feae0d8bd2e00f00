/** What a person does with what stopped: the call, then one toast that says how it came out. */
import { describeDrift } from '../../../shared/drift.ts'
import type { TaskId } from '../../../shared/ids.ts'
import type {
  ResumeCandidate,
  ResumeEnd,
  ResumeOutcome,
  ResumeSelector,
} from '../../../shared/resume.ts'
import { counted } from '../../components/primitives/format.ts'
import { toast } from '../../components/primitives/index.ts'
import { shortCause } from '../../components/task/stop-cause.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import type { ResumeAsk } from '../../store/overlay.ts'
import { isWaiting, resumableBelow } from '../../store/resumable.ts'
import type { FollowedEnds } from '../../store/resumes.ts'
import { taskRoute } from '../../store/route.ts'
import type { Stores } from '../../store/stores.ts'
import { showProblem } from '../app/actions.ts'

/** Long enough to read the causes of some, or to do something else instead. */
const readShownMs = 12_000

/** What fits under a headline with what else is said there. */
const causesShownMax = 3

/** The cause by which the host names a stop that the person asked for. */
const stoppedByPerson = 'stopped by the person'

export interface ResumeActions {
  /** At once when there is nothing to look at, else by the dialog. */
  resume(taskId: TaskId): Promise<void>
  resumeAll(): void
  /** Tells how it came out, and follows those that go on when they are several. */
  resumed(outcome: ResumeOutcome): void
  stopBatch(): Promise<void>
  startFresh(taskId: TaskId): Promise<void>
  /** Its record stays, so it can be continued as a new task. */
  giveUp(taskId: TaskId): Promise<void>
  retry(taskId: TaskId): Promise<void>
  continueFrom(taskId: TaskId): void
}

/** Of a task with others below it that stopped, the whole tree is looked at; who is meant is chosen then. */
export const selectorFor = (ask: ResumeAsk, hasBelow: boolean): ResumeSelector =>
  ask.of === 'all' ? { by: 'all' } : { by: hasBelow ? 'tree' : 'task', taskId: ask.taskId }

/** Whether a person should see something before it goes on. */
const isWorthALook = ({ drift, obstacle }: ResumeCandidate): boolean =>
  obstacle !== null || describeDrift(drift).length > 0

export function createResumeActions(stores: Stores): ResumeActions {
  const { client, ledger, navigation, overlay, resumes } = stores
  const tasks = () => ledger.store.getState().ledger.tasks
  const titleOf = (id: TaskId) => tasks().get(id)?.title ?? 'the agent'
  const show = (id: TaskId) => ({
    label: 'Show',
    onClick: () => navigation.go(taskRoute(id)),
  })

  async function attempt<Value>(doing: string, call: () => Promise<Value>): Promise<Value | null> {
    try {
      return await call()
    } catch (error) {
      showProblem(problemOf(error, doing))
      return null
    }
  }

  async function resume(taskId: TaskId): Promise<void> {
    const ask: ResumeAsk = { of: 'task', taskId }
    if (resumableBelow(tasks(), taskId).length > 0) return overlay.show({ kind: 'resume', ask })
    const found = await resumes.look(taskId, () =>
      attempt('find out what has changed', () =>
        client.tasks.planResume({ selector: selectorFor(ask, false) }),
      ),
    )
    const [candidate] = found?.candidates ?? []
    if (!found || !candidate) return
    if (!isWorthALook(candidate)) return resumeAtOnce(taskId)
    const open = () => overlay.show({ kind: 'resume', ask, found: found.candidates })
    // The person went on to something else in the meantime: never a dialog over a dialog.
    if (overlay.store.getState().kind === 'none') open()
    else
      toast.warning(`Things have changed since “${candidate.title}” stopped.`, {
        duration: readShownMs,
        action: { label: 'Look', onClick: open },
      })
  }

  async function resumeAtOnce(taskId: TaskId): Promise<void> {
    const outcome = await resumes.look(taskId, () =>
      attempt('resume the agent', () => client.tasks.resume({ selector: { by: 'task', taskId } })),
    )
    if (outcome) resumed(outcome)
  }

  function resumed(outcome: ResumeOutcome): void {
    const { accepted, fresh, abandoned, refused } = outcome
    const [first] = accepted
    if (first && accepted.length + fresh.length + abandoned.length + refused.length === 1) {
      toast.success(`Resumed “${titleOf(first.taskId)}”.`, { action: show(first.taskId) })
      return
    }
    const said = [
      accepted.length > 0 ? `Resumed ${counted(accepted.length, 'agent')}.` : null,
      fresh.length > 0 ? `Began ${counted(fresh.length, 'agent')} anew.` : null,
      abandoned.length > 0 ? `Gave up ${counted(abandoned.length, 'agent')}.` : null,
    ].filter((text) => text !== null)
    if (refused.length > 0)
      toast.warning([...said, `${refused.length} could not be.`].join(' '), {
        description: refused.map(({ message }) => message).join('\n'),
        duration: readShownMs,
      })
    else if (said.length > 0) toast.success(said.join(' '))
    if (accepted.length > 1)
      void resumes.follow(accepted.map(({ taskId }) => taskId)).then((followed) => {
        if (followed) showEnds(followed)
      })
  }

  function showEnds({ ends, stopped, calledOff }: FollowedEnds): void {
    const completed = ends.filter(({ status }) => status === 'completed').length
    if (completed === ends.length) {
      toast.success(`All ${ends.length} resumed agents have completed.`)
      return
    }
    const others = ends.filter(({ status }) => status !== 'completed')
    const notGoneOn = others.filter(({ taskId }) => calledOff.has(taskId)).length
    const ended = others.filter(({ taskId }) => !calledOff.has(taskId))
    const byPerson = stopped ? ended.filter(({ cause }) => cause === stoppedByPerson) : []
    const said = [
      byPerson.length > 0
        ? `${counted(byPerson.length, 'agent')} stopped at work. What was said is kept.`
        : null,
      notGoneOn > 0 ? `${counted(notGoneOn, 'agent')} had not gone on yet.` : null,
      ...namedCauses(ended.filter((end) => !byPerson.includes(end))),
    ].filter((line) => line !== null)
    const options = { description: said.join('\n'), duration: readShownMs }
    if (stopped) toast(`Stopped. ${completed} of ${ends.length} have completed.`, options)
    else toast.warning(`${completed} of ${ends.length} resumed agents have completed.`, options)
  }

  /** A line each; a toast is no report. */
  function namedCauses(ends: ResumeEnd[]): string[] {
    const lines = ends
      .slice(0, causesShownMax)
      .map(
        ({ taskId, cause, status }) => `${titleOf(taskId)}: ${cause ? shortCause(cause) : status}`,
      )
    return ends.length > causesShownMax
      ? [...lines, `and ${ends.length - causesShownMax} more`]
      : lines
  }

  return {
    resume,
    resumeAll: () => overlay.show({ kind: 'resume', ask: { of: 'all' } }),
    resumed,
    stopBatch: () =>
      resumes.stop((id) => {
        const task = tasks().get(id)
        return (
          task !== undefined && isWaiting(task, ledger.store.getState().activity.get(id) ?? null)
        )
      }),
    async startFresh(taskId) {
      if (resumableBelow(tasks(), taskId).length > 0)
        return overlay.show({ kind: 'resume', ask: { of: 'task', taskId }, choice: 'fresh' })
      const title = titleOf(taskId)
      const begun = await attempt('begin it anew', () => client.tasks.startFresh({ taskId }))
      if (begun)
        toast.success(`Gave “${title}” up and began it anew.`, { action: show(begun.taskId) })
    },
    async giveUp(taskId) {
      if (resumableBelow(tasks(), taskId).length > 0)
        return overlay.show({ kind: 'resume', ask: { of: 'task', taskId }, choice: 'abandon' })
      const title = titleOf(taskId)
      const begun = tasks().get(taskId)?.hasTranscript ?? false
      const given = await attempt('give the agent up', () => client.tasks.abandon({ taskId }))
      if (given)
        toast(`Gave “${title}” up.`, {
          description: begun ? 'What it did is kept.' : undefined,
          duration: readShownMs,
          action: begun
            ? {
                label: 'Continue as a new task',
                onClick: () => overlay.show({ kind: 'continue-from', taskId }),
              }
            : undefined,
        })
    },
    async retry(taskId) {
      const title = titleOf(taskId)
      const retried = await attempt('run it again', () => client.tasks.retry({ taskId }))
      if (retried) toast.success(`“${title}” runs again.`)
    },
    continueFrom: (taskId) => overlay.show({ kind: 'continue-from', taskId }),
  }
}

/** Why nothing at all came of it; null when something did. */
export function problemOfOutcome(outcome: ResumeOutcome): Problem | null {
  const { accepted, fresh, abandoned, refused } = outcome
  const [first] = refused
  if (!first || accepted.length + fresh.length + abandoned.length > 0) return null
  const message =
    refused.length === 1 ? first.message : `None of the ${refused.length} could be resumed.`
  return {
    code: 'REFUSED',
    message,
    next:
      first.reason === 'conflicts'
        ? 'It happened just now. Look at the list once more.'
        : 'Nothing was changed. It can be tried again.',
    reason: null,
    details: refused.map((one) => `${one.taskId}: ${one.reason}: ${one.message}`).join('\n'),
    field: null,
  }
}
