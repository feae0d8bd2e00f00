/** Calls for interrupted agents; each shows its outcome in one toast. */
import { describeDrift } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type {
  ResumeCandidate,
  ResumeChoice,
  ResumeOutcome,
  ResumeSelector,
} from '../../../shared/records/resume.ts'
import { toast } from '../../components/primitives/index.ts'
import { isResumable, isWaiting, resumableBelow } from '../../store/resume/resumable.ts'
import type { Stores } from '../../store/stores.ts'
import type { ResumeTarget } from '../../store/window/overlay.ts'
import { taskRoute } from '../../store/window/route.ts'
import { attempt, readShownMs } from '../app/toasts.ts'
import { abandonText, restartText } from './ending-texts.ts'
import { problemOfOutcome, showEnds, showResumed } from './resume-toasts.ts'

/** What the user confirmed in the dialog. */
interface ConfirmedResume {
  target: ResumeTarget
  request: {
    selector: ResumeSelector
    force: boolean
    choices: Partial<Record<TaskId, ResumeChoice>>
    agentsAtOnce?: number
  }
  /** The tasks to resume or restart. */
  started: TaskId[]
}

export interface ResumeActions {
  /** Resumes at once if there is nothing to decide, else opens the dialog. */
  resume(taskId: TaskId): Promise<void>
  /** All interrupted agents of one root's tree. */
  resumeTree(rootId: TaskId): void
  /** Opens the dialog for the agents that worked in parallel with it. */
  resumeGroup(taskId: TaskId): void
  resumeAll(): void
  /** Closes the dialog at once; the lists show the agents start, and a toast the outcome. */
  confirm(confirmed: ConfirmedResume): Promise<void>
  stopBatch(): Promise<void>
  /** Asks first: it begins again and leaves behind what was done. */
  restart(taskId: TaskId): void
  /** Asks first. Its record stays, so it can be continued as a new task. */
  abandon(taskId: TaskId): void
  retry(taskId: TaskId): Promise<void>
  /** `at`: an entry; from the end of its turn. */
  continueFrom(taskId: TaskId, at?: number): void
}

/** `hasBelow`: interrupted agents below the task are checked as well, and the user chooses among them. */
export function selectorFor(target: ResumeTarget, hasBelow: boolean): ResumeSelector {
  switch (target.of) {
    case 'all':
      return { by: 'all' }
    case 'group':
      // By a member: two trees may have groups of the same name.
      return { by: 'group', group: target.taskId }
    case 'task':
      return { by: hasBelow ? 'tree' : 'task', taskId: target.taskId }
  }
}

/** Whether the user should review it before it is resumed. */
const needsReview = ({ drift, obstacle }: ResumeCandidate): boolean =>
  obstacle !== null || describeDrift(drift).length > 0

export function createResumeActions(stores: Stores): ResumeActions {
  const { changeSummaries, client, ledger, navigation, overlay, resumes } = stores
  const tasks = () => ledger.store.getState().ledger.tasks
  const titleOf = (id: TaskId) => tasks().get(id)?.title ?? 'the agent'
  const show = (id: TaskId) => ({
    label: 'Show',
    onClick: () => navigation.go(taskRoute(id)),
  })

  async function resume(taskId: TaskId): Promise<void> {
    const target: ResumeTarget = { of: 'task', taskId }
    if (resumableBelow(tasks(), taskId).length > 0) return overlay.show({ kind: 'resume', target })
    const found = await resumes.check(taskId, () =>
      attempt('check what changed', () =>
        client.tasks.planResume({ selector: selectorFor(target, false) }),
      ),
    )
    const [candidate] = found?.candidates ?? []
    if (!found || !candidate) return
    if (!needsReview(candidate)) return resumeAtOnce(taskId)
    const open = () => overlay.show({ kind: 'resume', target, found: found.candidates })
    // The user may have opened another dialog during the check, and dialogs do not stack.
    if (overlay.store.getState().kind === 'none') open()
    else
      toast.warning(`Files or branches changed since “${candidate.title}” stopped.`, {
        duration: readShownMs,
        action: { label: 'Review', onClick: open },
      })
  }

  async function resumeAtOnce(taskId: TaskId): Promise<void> {
    const outcome = await resumes.check(taskId, () =>
      attempt('resume the agent', () => client.tasks.resume({ selector: { by: 'task', taskId } })),
    )
    if (outcome) void showAndFollow(outcome)
  }

  const isInterrupted = (id: TaskId): boolean => {
    const task = tasks().get(id)
    return task !== undefined && isResumable(tasks(), task)
  }

  async function confirm({ target, request, started }: ConfirmedResume): Promise<void> {
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
    if (!problem) return void showAndFollow(outcome)
    toast.warning(problem.message, {
      description: problem.next ?? undefined,
      duration: readShownMs,
      action: { label: 'Review', onClick: () => overlay.show({ kind: 'resume', target }) },
    })
  }

  /** Shows the outcome, then how those that were resumed end if they are several. */
  async function showAndFollow(outcome: ResumeOutcome): Promise<void> {
    showResumed(outcome, titleOf, show)
    if (outcome.accepted.length < 2) return
    const followed = await resumes.follow(outcome.accepted.map(({ taskId }) => taskId))
    if (followed) showEnds(followed, titleOf)
  }

  return {
    resume,
    resumeGroup: (taskId) => overlay.show({ kind: 'resume', target: { of: 'group', taskId } }),
    resumeAll: () => overlay.show({ kind: 'resume', target: { of: 'all' } }),
    resumeTree(rootId) {
      const [only, ...others] = resumableBelow(tasks(), rootId)
      // A single agent needs no choice.
      if (only && others.length === 0 && !isInterrupted(rootId)) void resume(only.id)
      else if (only) overlay.show({ kind: 'resume', target: { of: 'task', taskId: rootId } })
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
    restart(taskId) {
      if (resumableBelow(tasks(), taskId).length > 0)
        return overlay.show({ kind: 'resume', target: { of: 'task', taskId }, choice: 'restart' })
      const task = tasks().get(taskId)
      if (!task) return
      const files = changeSummaries.store.getState().get(taskId)?.files ?? 0
      const run = async () => {
        const restarted = await client.tasks.restart({ taskId })
        const said = `Restarted “${task.title}”.`
        if (task.parentId !== null) return toast.success(said, { action: show(restarted.taskId) })
        navigation.go(taskRoute(restarted.taskId))
        toast.success(said, { action: { ...show(taskId), label: 'Show the old one' } })
      }
      overlay.show({ kind: 'confirm', confirmation: { ...restartText(task, files), run } })
    },
    abandon(taskId) {
      if (resumableBelow(tasks(), taskId).length > 0)
        return overlay.show({ kind: 'resume', target: { of: 'task', taskId }, choice: 'abandon' })
      const task = tasks().get(taskId)
      if (!task) return
      const run = async () => {
        await client.tasks.abandon({ taskId })
        toast(`Abandoned “${task.title}”.`, {
          description: task.hasTranscript ? 'Its transcript stays in the archive.' : undefined,
          duration: readShownMs,
          action: task.hasTranscript
            ? {
                label: 'Continue as a new task',
                onClick: () => overlay.show({ kind: 'continue-from', taskId }),
              }
            : undefined,
        })
      }
      overlay.show({ kind: 'confirm', confirmation: { ...abandonText(task), run } })
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
