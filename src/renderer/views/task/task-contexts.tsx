import { type ReactNode, useMemo } from 'react'
import { useStore } from 'zustand'
import type { TaskId } from '../../../shared/records/ids.ts'
import {
  TaskActionsContext,
  type TaskLookup,
  TaskLookupContext,
} from '../../components/conversation/task-lookup.ts'
import { DiffLayoutContext } from '../../components/diff/diff-layout.ts'
import { useLedger, usePreference, useStores, useUnreachable } from '../../store/hooks.ts'
import { reportKey } from '../../store/results/reports.ts'
import { resumableGroup } from '../../store/resume/resumable-group.ts'
import { usageBelow } from '../../store/tree-use.ts'
import { formatRoute, linkTo, taskRoute } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

/** Gives the cards of one task's transcript what they show and what they can ask for. */
export function TaskContexts(props: {
  /** Whose transcript it is: its calls made the tasks that the cards stand for. */
  taskId: TaskId
  onViewTranscript(id: TaskId): void
  children: ReactNode
}) {
  const { taskId, onViewTranscript, children } = props
  const { client, reports, ledger, preferences } = useStores()
  const { applyPatch, stop } = useActions()
  const { resume, resumeGroup, restart, giveUp, retry, continueFrom } = useResumeActions()
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
      onResumeGroup: resumeGroup,
      onStartFresh: (id: TaskId) => void restart(id),
      onGiveUp: (id: TaskId) => void giveUp(id),
      onRetry: (id: TaskId) => void retry(id),
      onContinueFrom: continueFrom,
      linkTo: (id: TaskId) => formatRoute(taskRoute(id)),
      linkToEntry: (seq: number) => linkTo({ ...taskRoute(taskId), seq }),
      unreachable,
      readOutput: (sha256: string, offset: number) =>
        client.workspace.readOutput({ taskId, sha256, offset }),
      readEntry: (seq: number) => client.transcripts.value({ taskId, seq, at: [] }),
      readImage: (sha256: string) => client.transcripts.image({ taskId, sha256 }),
      onNeedReport: (id: TaskId) => {
        const task = ledger.store.getState().ledger.tasks.get(id)
        void reports.load(id, task?.runs.at(-1)?.run ?? 1)
      },
    }),
    [
      onViewTranscript,
      applyPatch,
      stop,
      resume,
      resumeGroup,
      restart,
      giveUp,
      retry,
      continueFrom,
      unreachable,
      client,
      taskId,
      reports,
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

/** A new object whenever something that it answers has changed. */
function useTaskLookup(taskId: TaskId): TaskLookup {
  const { reports, applies } = useStores()
  const view = useLedger((whole) => whole)
  const known = useStore(reports.store)
  const applied = useStore(applies.store)
  return useMemo((): TaskLookup => {
    const { tasks } = view.ledger
    const childrenOf = (id: TaskId) => view.children.get(id) ?? []
    return {
      byId: (id) => tasks.get(id) ?? null,
      byCallId: (callId) => childrenOf(taskId).find((task) => task.callId === callId) ?? null,
      childrenOf,
      activity: (id) => view.activity.get(id) ?? null,
      usage: (id) => usageBelow(view, id),
      resumableGroup: (id) => resumableGroup(view.ledger, id).length,
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
        // Of an undo the Changes tell.
        if (outcome?.kind === 'undoing' || outcome?.kind === 'changed-since') return null
        return outcome ?? null
      },
    }
  }, [taskId, view, known, applied])
}
