import { ArchiveRestore, CopyPlus, Pin, SquareArrowOutUpRight, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Button, IconButton, Tabs } from '../../components/primitives/index.ts'
import { canBeContinued } from '../../components/task/what-next.ts'
import { useLedger, useLineage, useStores, useTask, useUnreachable } from '../../store/hooks.ts'
import type { KeyCommand } from '../../store/window/keys.ts'
import { type TranscriptRoute, taskRoute } from '../../store/window/route.ts'
import type { TaskAction } from '../actions/action.ts'
import { useActions } from '../app/use-actions.ts'
import { ImportedLine } from '../imports/imported-line.tsx'
import { useReplayRoute } from '../replay/use-replay-route.ts'
import { ResumeButtons } from '../resume/resume-buttons.tsx'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { Deleted } from '../shell/nothing-here.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { TaskHeader } from '../task/task-header.tsx'
import { TaskReport } from '../task/task-report.tsx'
import { createReadingPosition } from '../transcript/reading.ts'
import { TranscriptPane } from '../transcript/transcript-pane.tsx'
import { TranscriptTools } from '../transcript/transcript-tools.tsx'
import { useTranscriptPanes } from '../transcript/use-panes.ts'
import { ArchiveFacts } from './archive-facts.tsx'

/** The reader has its own tabs and buttons for these actions. */
const onScreen: TaskAction['id'][] = [
  ...(['transcript', 'report', 'replay', 'pin'] as const),
  ...(['restore', 'delete', 'delete-transcript'] as const),
]

/** A report beside its transcript. */
export function ArchiveReader(props: {
  taskId: TaskId
  tab: 'report' | 'transcript'
  /** The entry that the transcript is opened at; else its beginning. */
  seq: number | undefined
  /** Shows the transcript's state at that entry. */
  replaying: boolean
  /** Null while the list is being read. */
  summary: TranscriptSummary | null
  /** Whether it is not in the archive, and can only be read. */
  isReadOnly?: boolean
}) {
  const { taskId, seq, replaying, summary, isReadOnly = false } = props
  const { navigation } = useStores()
  const task = useTask(taskId)
  const hasSubAgents = useLedger(({ children }) => children.has(taskId))
  const panes = useTranscriptPanes(task, 'archive')
  const [reading] = useState(createReadingPosition)
  const [isReportChosen, setReportChosen] = useState(false)
  // A completed conversation without a report shows its transcript.
  const tab =
    task && !isReportChosen && task.status === 'completed' && !task.hasReport && task.hasTranscript
      ? 'transcript'
      : props.tab
  const routeOf = (id: TaskId): TranscriptRoute => ({
    screen: 'archive',
    taskId: id,
    tab: 'transcript',
  })
  const replay = useReplayRoute({ taskId, seq, replaying, routeOf })
  const key = (keys: string, label: string, run: () => void): KeyCommand => ({
    keys,
    label,
    run,
    group: 'Transcript',
  })
  useKeys(
    tab === 'transcript'
      ? [
          key('o', 'Outline', panes.outline.toggle),
          key('p', 'Replay', replay.toggle),
          ...(replaying ? [key('Escape', 'End the replay', replay.toggle)] : []),
        ]
      : [],
  )
  if (!task) return null
  if (task.trashed) return <Deleted task={task} />
  const show = (id: TaskId, chosen: 'report' | 'transcript') =>
    navigation.go({ screen: 'archive', taskId: id, tab: chosen })
  return (
    <>
      <TaskHeader
        task={task}
        isOpened={isReadOnly}
        actions={
          <>
            <TranscriptTools
              task={task}
              route={routeOf(taskId)}
              scope="window"
              panes={panes}
              reading={reading}
              replaying={replaying}
              isShown={tab === 'transcript'}
              onReplay={replay.toggle}
              inTaskHeader
            />
            {isReadOnly ? null : (
              <>
                <PinAction task={task} />
                <ResumeButtons task={task} without={onScreen} />
              </>
            )}
            {isReadOnly ? null : task.archived ? (
              <ArchivedActions task={task} />
            ) : (
              <Button
                icon={<SquareArrowOutUpRight />}
                onClick={() => navigation.go(taskRoute(taskId))}
              >
                Open
              </Button>
            )}
          </>
        }
      />
      {/* A replay needs the height, and its panel has the facts as they were. */}
      {summary && !replaying ? (
        <ArchiveFacts summary={summary} hasSubAgents={hasSubAgents} />
      ) : null}
      {replaying ? null : (
        <ImportedLine task={task} isOpened={isReadOnly} onShow={(id) => show(id, 'transcript')} />
      )}
      <Tabs
        label="Report and transcript"
        className="flex-1"
        value={tab}
        onChange={(chosen) => {
          setReportChosen(chosen === 'report')
          show(taskId, chosen)
        }}
        tabs={[
          {
            value: 'report',
            label: 'Report',
            content: (
              <TaskReport
                task={task}
                onShowTranscript={() => show(taskId, 'transcript')}
                onOpen={(at) => navigation.go({ ...routeOf(taskId), seq: at })}
              />
            ),
          },
          {
            value: 'transcript',
            label: 'Transcript',
            content: (
              <TranscriptPane
                taskId={taskId}
                from={seq ?? 'start'}
                onViewTranscript={(id) => show(id, 'transcript')}
                panes={panes}
                reading={reading}
                replay={replay}
              />
            ),
          },
        ]}
      />
    </>
  )
}

/** A pinned task never expires, nor do its sub-agents. */
function PinAction({ task }: { task: Task }) {
  const { pin } = useActions()
  const above = useLineage(task.id).find((one) => one.pinned && one.id !== task.id)
  if (above && !task.pinned)
    return (
      <IconButton
        disabled
        icon={<Pin className="fill-current" />}
        label={`Kept because “${above.title}” is pinned`}
      />
    )
  return (
    <IconButton
      icon={<Pin className={task.pinned ? 'fill-current' : undefined} />}
      className={task.pinned ? 'text-accent' : undefined}
      label={
        task.pinned
          ? 'Unpin: the transcript may expire again'
          : 'Pin: never let this transcript and its sub-agents’ expire'
      }
      onClick={() => void pin(task.id, !task.pinned)}
    />
  )
}

/** A sub-agent's report and patch are kept with its root; its transcript alone can be deleted. */
function ArchivedActions({ task }: { task: Task }) {
  const { restore, trash, deleteTranscript } = useActions()
  if (task.parentId !== null)
    return task.hasTranscript && task.transcriptExpired === null ? (
      <IconButton
        icon={<Trash2 />}
        label="Delete transcript"
        onClick={() => void deleteTranscript(task.id, task.title)}
      />
    ) : null
  return (
    <>
      {task.imported ? (
        <ContinueImported task={task} />
      ) : (
        <Button icon={<ArchiveRestore />} onClick={() => void restore(task.id, task.title)}>
          Restore
        </Button>
      )}
      <Button icon={<Trash2 />} onClick={() => void trash(task.id, task.title)}>
        Delete
      </Button>
    </>
  )
}

function ContinueImported({ task }: { task: Task }) {
  const { continueFrom } = useResumeActions()
  const unreachable = useUnreachable()
  if (!canBeContinued(task)) return null
  return (
    <Button
      icon={<CopyPlus />}
      disabled={unreachable !== undefined}
      title={unreachable ?? 'Continue in Shiplog, as a new task'}
      onClick={() => continueFrom(task.id)}
    >
      Continue…
    </Button>
  )
}
