import { type ReactNode, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  TaskActionsContext,
  type TaskLookup,
  TaskLookupContext,
} from '../../components/conversation/task-lookup.ts'
import { DiffLayoutContext } from '../../components/diff/diff-layout.ts'
import {
  useLedger,
  usePreference,
  useProjects,
  useQuestions,
  useStores,
  useTask,
  useUnreachable,
} from '../../store/hooks.ts'
import { reportKey } from '../../store/results/reports.ts'
import { treeStateOf, usageBelow } from '../../store/tree-use.ts'
import { formatRoute, linkTo, taskRoute } from '../../store/window/route.ts'
import { menuOf, type TaskAction } from '../actions/action.ts'
import { useTaskActions } from '../actions/use-task-actions.tsx'
import { useActions } from '../app/use-actions.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

/** A card has buttons for these. */
const onCard: TaskAction['id'][] = ['transcript', 'apply', 'stop', 'resume', 'retry']

/** Provides the cards in a task's transcript with their data and actions. */
export function TaskContexts(props: {
  /** The task of the transcript, whose calls started the tasks on the cards. */
  taskId: TaskId
  onViewTranscript(id: TaskId): void
  children: ReactNode
}) {
  const { taskId, onViewTranscript, children } = props
  const { client, reports, changeSummaries, treeChanges, ledger, preferences } = useStores()
  const { applyPatch, stop, tryNow } = useActions()
  const { resume, retry, continueFrom } = useResumeActions()
  const task = useTask(taskId)
  const isInGit = useProjects().some(({ id, git }) => git && id === task?.projectId)
  const isImported = task?.imported ?? false
  const taskActions = useTaskActions()
  // A ref, read when a menu opens, so that a change does not render all cards again.
  const actionsOf = useRef(taskActions)
  actionsOf.current = taskActions
  const lookup = useTaskLookup(taskId)
  const unreachable = useUnreachable()
  const layout = usePreference('reviewLayout')
  const diffs = useMemo(
    () => ({
      layout,
      onChange: (reviewLayout: typeof layout) => preferences.setState({ reviewLayout }),
    }),
    [layout, preferences],
  )
  const actions = useMemo(
    () => ({
      onViewTranscript,
      onApply: (id: TaskId) => void applyPatch(id),
      onStop: (id: TaskId) => void stop(id),
      onResume: (id: TaskId) => void resume(id),
      onRetry: (id: TaskId) => void retry(id),
      onTryNow: () => void tryNow(taskId),
      ...((isInGit || isImported) && { onContinueAt: (seq: number) => continueFrom(taskId, seq) }),
      menuOf: (task: Task) =>
        menuOf(actionsOf.current(task).filter(({ id }) => !onCard.includes(id))),
      linkTo: (id: TaskId) => formatRoute(taskRoute(id)),
      linkToEntry: (seq: number) => linkTo({ ...taskRoute(taskId), seq }),
      unreachable,
      readOutput: (sha256: string, offset: number) =>
        client.workspace.readOutput({ taskId, sha256, offset }),
      readEntry: (seq: number) => client.transcripts.value({ taskId, seq, at: [] }),
      readOutline: (fromSeq: number, limit: number) =>
        client.transcripts.outline({ taskId, fromSeq, limit }),
      readImage: (sha256: string) => client.transcripts.image({ taskId, sha256 }),
      onNeedChanges: (id: TaskId) => {
        const view = ledger.store.getState()
        const task = view.ledger.tasks.get(id)
        if (!task) return
        void changeSummaries.load(task)
        void treeChanges.load(id, treeStateOf(view, task))
      },
      onNeedReport: (id: TaskId) => {
        const task = ledger.store.getState().ledger.tasks.get(id)
        void reports.load(id, task?.runs.at(-1)?.run ?? 1)
      },
    }),
    [
      onViewTranscript,
      applyPatch,
      stop,
      tryNow,
      resume,
      retry,
      continueFrom,
      isInGit,
      isImported,
      unreachable,
      client,
      taskId,
      reports,
      changeSummaries,
      treeChanges,
      ledger,
    ],
  )
  return (
    <TaskLookupContext value={lookup}>
      <TaskActionsContext value={actions}>
        <DiffLayoutContext value={diffs}>{children}</DiffLayoutContext>
      </TaskActionsContext>
    </TaskLookupContext>
  )
}

/** A new object whenever its data has changed. */
function useTaskLookup(taskId: TaskId): TaskLookup {
  const { reports, applies, treeChanges } = useStores()
  const view = useLedger((whole) => whole)
  const known = useStore(reports.store)
  const applied = useStore(applies.store)
  const changes = useStore(treeChanges.store)
  const questions = useQuestions()
  return useMemo((): TaskLookup => {
    const { tasks } = view.ledger
    const childrenOf = (id: TaskId) => view.children.get(id) ?? []
    return {
      byId: (id) => tasks.get(id) ?? null,
      byCallId: (callId) => childrenOf(taskId).find((task) => task.callId === callId) ?? null,
      childrenOf,
      isGone(path) {
        const workspace = tasks.get(taskId)?.workspace
        return workspace?.path === path && workspace.removal !== null
      },
      isAsking: (callId) => questions.some((one) => one.taskId === taskId && one.callId === callId),
      isRetrying() {
        const doing = view.activity.get(taskId)
        return doing?.state === 'working' && doing.retriesAt !== undefined
      },
      activity: (id) => view.activity.get(id) ?? null,
      changes: (id) => changes.get(id) ?? null,
      usage: (id) => usageBelow(view, id),
      report(id) {
        const report = known.get(reportKey(id, tasks.get(id)?.runs.at(-1)?.run ?? 1))
        if (!report) return null
        if (report.phase === 'failed') return { phase: 'failed', why: report.problem.message }
        if (report.phase === 'loading') return report
        const { title, reportMarkdown } = report.report
        return { phase: 'ready', title, markdown: reportMarkdown }
      },
      apply(id) {
        const outcome = applied.get(id)
        if (outcome?.kind === 'failed') return { kind: 'failed', why: outcome.problem.message }
        // The Changes tab reports an undo.
        if (outcome?.kind === 'undoing' || outcome?.kind === 'changed-since') return null
        return outcome ?? null
      },
    }
  }, [taskId, view, known, applied, changes, questions])
}
