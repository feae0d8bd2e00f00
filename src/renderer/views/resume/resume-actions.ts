/** What a person does with interrupted agents: the call, then one toast that says how it came out. */
import { isStoppedByPerson } from '../../../shared/records/causes.ts'
import { describeDrift } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type {
  ResumeCandidate,
  ResumeChoice,
  ResumeEnd,
  ResumeOutcome,
  ResumeSelector,
} from '../../../shared/records/resume.ts'
import { counted } from '../../components/primitives/format.ts'
import { toast } from '../../components/primitives/index.ts'
import { shortCause } from '../../components/task/cause-words.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { isResumable, isWaiting, resumableBelow } from '../../store/resume/resumable.ts'
import type { FollowedEnds } from '../../store/resume/resumes.ts'
import type { Stores } from '../../store/stores.ts'
import type { ResumeAsk } from '../../store/window/overlay.ts'
import { taskRoute } from '../../store/window/route.ts'
import { showProblem } from '../app/toasts.ts'

/** Long enough to read the causes of some, or to do something else instead. */
const readShownMs = 12_000

/** What fits under a headline with what else is said there. */
const causesShownMax = 3

/** What the person confirmed in the dialog. */
interface ConfirmedResume {
  ask: ResumeAsk
  request: {
    selector: ResumeSelector
    force: boolean
    choices: Partial<Record<TaskId, ResumeChoice>>
    agentsAtOnce?: number
  }
  /** Those that are to be resumed or restarted. */
  started: TaskId[]
}

export interface ResumeActions {
  /** At once when there is nothing to decide, else by the dialog. */
  resume(taskId: TaskId): Promise<void>
  /** Everything interrupted of one root's tree. */
  resumeTree(rootId: TaskId): void
  /** Those that worked in parallel with it, by the dialog. */
  resumeGroup(taskId: TaskId): void
  resumeAll(): void
  /** Closes the dialog at once; the lists show how they start, and a toast says how it came out. */
  confirm(confirmed: ConfirmedResume): Promise<void>
  stopBatch(): Promise<void>
  restart(taskId: TaskId): Promise<void>
  /** Its record stays, so it can be continued as a new task. */
  giveUp(taskId: TaskId): Promise<void>
  retry(taskId: TaskId): Promise<void>
  /** `at`: an entry; from the end of its turn. */
  continueFrom(taskId: TaskId, at?: number): void
}

/** With interrupted ones below it, the whole tree is checked; who is meant is chosen then. */
export function selectorFor(ask: ResumeAsk, hasBelow: boolean): ResumeSelector {
  switch (ask.of) {
    case 'all':
      return { by: 'all' }
    case 'group':
      // By a member: two trees may have groups of the same name.
      return { by: 'group', group: ask.taskId }
    case 'task':
      return { by: hasBelow ? 'tree' : 'task', taskId: ask.taskId }
  }
}

/** Whether a person should see something before it is resumed. */
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
      attempt('check what changed', () =>
        client.tasks.planResume({ selector: selectorFor(ask, false) }),
      ),
    )
    const [candidate] = found?.candidates ?? []
    if (!found || !candidate) return
    if (!isWorthALook(candidate)) return resumeAtOnce(taskId)
    const open = () => overlay.show({ kind: 'resume', ask, found: found.candidates })
    // The person opened something else in the meantime: never a dialog over a dialog.
    if (overlay.store.getState().kind === 'none') open()
    else
      toast.warning(`Files or branches changed since “${candidate.title}” stopped.`, {
        duration: readShownMs,
        action: { label: 'Review', onClick: open },
      })
  }

  async function resumeAtOnce(taskId: TaskId): Promise<void> {
    const outcome = await resumes.look(taskId, () =>
      attempt('resume the agent', () => client.tasks.resume({ selector: { by: 'task', taskId } })),
    )
    if (outcome) resumed(outcome)
  }

  const isInterrupted = (id: TaskId): boolean => {
    const task = tasks().get(id)
    return task !== undefined && isResumable(tasks(), task)
  }

  async function confirm({ ask, request, started }: ConfirmedResume): Promise<void> {
    overlay.hide()
    const marked = started.flatMap((id) => {
      const task = tasks().get(id)
      return task ? [{ id, rootId: task.rootId }] : []
    })
    const outcome = await resumes.start(marked, () =>
      attempt('resume', () => client.tasks.resume(request)),
    )
    if (!outcome) return
    const problem = problemOfOutcome(outcome)
    if (!problem) return resumed(outcome)
    toast.warning(problem.message, {
      description: problem.next ?? undefined,
      duration: readShownMs,
      action: { label: 'Review', onClick: () => overlay.show({ kind: 'resume', ask }) },
    })
  }

  /** Says how it came out, and follows those that were resumed when they are several. */
  function resumed(outcome: ResumeOutcome): void {
    const { accepted, fresh, abandoned, refused } = outcome
    const [first] = accepted
    if (first && accepted.length + fresh.length + abandoned.length + refused.length === 1) {
      toast.success(`Resumed “${titleOf(first.taskId)}”.`, { action: show(first.taskId) })
      return
    }
    const said = [
      accepted.length > 0 ? `Resumed ${counted(accepted.length, 'agent')}.` : null,
      fresh.length > 0 ? `Restarted ${counted(fresh.length, 'agent')}.` : null,
      abandoned.length > 0 ? `Abandoned ${counted(abandoned.length, 'agent')}.` : null,
    ].filter((text) => text !== null)
    if (refused.length > 0)
      toast.warning([...said, `${refused.length} could not be resumed.`].join(' '), {
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
      toast.success(`All ${ends.length} resumed agents completed.`)
      return
    }
    const others = ends.filter(({ status }) => status !== 'completed')
    const notGoneOn = others.filter(({ taskId }) => calledOff.has(taskId)).length
    const ended = others.filter(({ taskId }) => !calledOff.has(taskId))
    const byPerson = stopped ? ended.filter(({ cause }) => isStoppedByPerson(cause)) : []
    const said = [
      byPerson.length > 0
        ? `${counted(byPerson.length, 'running agent')} stopped. The partial output was saved.`
        : null,
      notGoneOn > 0 ? `${counted(notGoneOn, 'agent')} had not started yet.` : null,
      ...namedCauses(ended.filter((end) => !byPerson.includes(end))),
    ].filter((line) => line !== null)
    const options = { description: said.join('\n'), duration: readShownMs }
    if (stopped) toast(`Stopped. ${completed} of ${ends.length} completed.`, options)
    else toast.warning(`${completed} of ${ends.length} resumed agents completed.`, options)
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
    resumeGroup: (taskId) => overlay.show({ kind: 'resume', ask: { of: 'group', taskId } }),
    resumeAll: () => overlay.show({ kind: 'resume', ask: { of: 'all' } }),
    resumeTree(rootId) {
      const [only, ...others] = resumableBelow(tasks(), rootId)
      // With one there is no tree to choose from.
      if (only && others.length === 0 && !isInterrupted(rootId)) void resume(only.id)
      else if (only) overlay.show({ kind: 'resume', ask: { of: 'task', taskId: rootId } })
      else void resume(rootId)
    },
    confirm,
    stopBatch: () =>
      resumes.stop((id) => {
        const task = tasks().get(id)
        return (
          task !== undefined && isWaiting(task, ledger.store.getState().activity.get(id) ?? null)
        )
      }),
    async restart(taskId) {
      if (resumableBelow(tasks(), taskId).length > 0)
        return overlay.show({ kind: 'resume', ask: { of: 'task', taskId }, choice: 'restart' })
      const title = titleOf(taskId)
      const restarted = await attempt('restart the agent', () => client.tasks.restart({ taskId }))
      if (restarted) toast.success(`Restarted “${title}”.`, { action: show(restarted.taskId) })
    },
    async giveUp(taskId) {
      if (resumableBelow(tasks(), taskId).length > 0)
        return overlay.show({ kind: 'resume', ask: { of: 'task', taskId }, choice: 'abandon' })
      const title = titleOf(taskId)
      const ran = tasks().get(taskId)?.hasTranscript ?? false
      const abandoned = await attempt('abandon the agent', () => client.tasks.abandon({ taskId }))
      if (abandoned)
        toast(`Abandoned “${title}”.`, {
          description: ran ? 'Its transcript stays in the archive.' : undefined,
          duration: readShownMs,
          action: ran
            ? {
                label: 'Continue as a new task',
                onClick: () => overlay.show({ kind: 'continue-from', taskId }),
              }
            : undefined,
        })
    },
    async retry(taskId) {
      const title = titleOf(taskId)
      const retried = await attempt('retry the agent', () => client.tasks.retry({ taskId }))
      if (retried) toast.success(`Retrying “${title}”.`)
    },
    continueFrom: (taskId, at) =>
      overlay.show({ kind: 'continue-from', taskId, ...(at !== undefined && { at }) }),
  }
}

/** Why nothing at all was done; null when something was. */
function problemOfOutcome(outcome: ResumeOutcome): Problem | null {
  const { accepted, fresh, abandoned, refused } = outcome
  const [first] = refused
  if (!first || accepted.length + fresh.length + abandoned.length > 0) return null
  const message =
    refused.length === 1 ? first.message : `None of the ${refused.length} agents could be resumed.`
  return {
    code: 'REFUSED',
    message,
    next:
      first.reason === 'conflicts'
        ? 'They changed just now. Review the list again.'
        : 'Nothing was changed. You can try again.',
    reason: null,
    details: refused.map((one) => `${one.taskId}: ${one.reason}: ${one.message}`).join('\n'),
    field: null,
  }
}
