import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Button, CopyButton, EmptyState, Skeleton } from '../../components/primitives/index.ts'
import { beginningOf } from '../../components/task/cause-text.tsx'
import { plainCause } from '../../components/task/plain-cause.ts'
import { ReportView } from '../../components/task/report-view.tsx'
import { useReport, useStores } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { TaskChecks } from './task-checks.tsx'

/** The report of a task's last run, with the checks that its agent ran. */
export function TaskReport(props: {
  task: Task
  /** Shows the transcript at an entry. */
  onOpen(seq: number): void
  /** Offered if there is no report. Absent if the transcript is shown already. */
  onShowTranscript?(): void
}) {
  const { task, onOpen, onShowTranscript } = props
  const { reports } = useStores()
  const view = useReport(task, true)
  if (!view && isRunning(task.status))
    return (
      <EmptyState
        sentence="The agent is still running and has not reported yet."
        action={
          onShowTranscript && { label: 'Show the transcript', onClick: () => onShowTranscript() }
        }
      />
    )
  if (!view)
    return (
      <div className="mx-auto flex w-full max-w-reading flex-col gap-6 px-6 py-4">
        <div className="flex flex-col items-start gap-3">
          <p className="text-read text-muted">{noReportText(task)}</p>
          {onShowTranscript ? (
            <Button variant="primary" onClick={() => onShowTranscript()}>
              Show the transcript
            </Button>
          ) : null}
        </div>
        <TaskChecks task={task} onOpen={onOpen} />
      </div>
    )
  switch (view.phase) {
    case 'loading':
      return <Skeleton lines={6} className="mx-auto w-full max-w-reading p-6" />
    case 'failed':
      return (
        <ProblemNotice
          problem={view.problem}
          action={{
            label: 'Try again',
            onClick: () => void reports.load(task.id, task.runs.at(-1)?.run ?? 1),
          }}
          className="m-4"
        />
      )
    case 'ready': {
      const { title, reportMarkdown, run, createdAt } = view.report
      return (
        <div className="mx-auto flex w-full max-w-reading flex-col gap-6 px-6 py-4">
          <ReportView
            title={title}
            markdown={reportMarkdown}
            run={run}
            createdAt={createdAt}
            actions={<CopyButton label="Copy as Markdown" text={reportMarkdown} />}
          />
          <TaskChecks task={task} onOpen={onOpen} />
        </div>
      )
    }
  }
}

function noReportText({ imported, parentId, cause }: Task): string {
  if (imported && parentId === null && cause === null)
    return 'This is a conversation, and has no report.'
  return `The agent ended without a report${cause ? `: ${beginningOf(plainCause(cause))}` : '.'}`
}
