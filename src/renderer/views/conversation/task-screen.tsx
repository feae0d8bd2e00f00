import { Archive, PanelRight, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import { Button, IconButton } from '../../components/primitives/index.ts'
import {
  usePreference,
  useStores,
  useTask,
  useTaskLookup,
  useUnreachable,
} from '../../store/hooks.ts'
import { inspectorWidthMax, inspectorWidthMin } from '../../store/window/preferences.ts'
import { taskRoute } from '../../store/window/route.ts'
import type { TaskAction } from '../actions/action.ts'
import { useActions } from '../app/use-actions.ts'
import { Inspector } from '../inspector/inspector.tsx'
import { ResumeButtons, useCanResume } from '../resume/resume-buttons.tsx'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { Deleted, NothingHere } from '../shell/nothing-here.tsx'
import { Splitter } from '../shell/splitter.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { useWide } from '../shell/use-wide.ts'
import { TaskHeader } from '../task/task-header.tsx'
import { createReadingPosition } from '../transcript/reading.ts'
import { TranscriptDialog } from '../transcript/transcript-dialog.tsx'
import { TranscriptPane } from '../transcript/transcript-pane.tsx'
import { TranscriptTools } from '../transcript/transcript-tools.tsx'
import { useTranscriptPanes } from '../transcript/use-panes.ts'
import { ConversationFooter } from './conversation-footer.tsx'
import { hasResumeLine } from './interrupted-line.tsx'
import { useArrival } from './use-arrival.ts'
import { useToastsAbove } from './use-toasts-above.ts'

/** A task's conversation, under the transcript that the route refers to, if any. */
export function TaskScreen(props: {
  taskId: string
  transcriptOf: string | null
  /** The entry that the transcript, or else the conversation, is opened at. */
  seq: number | undefined
  /** Shows the transcript's state at that entry. */
  replaying: boolean
}) {
  const lookup = useTaskLookup(props.taskId)
  const child = useTaskLookup(props.transcriptOf ?? props.taskId)
  const task = useTask(lookup.kind === 'found' ? lookup.id : null)
  if (lookup.kind !== 'found') return <NothingHere what="task" id={props.taskId} lookup={lookup} />
  if (task?.trashed) return <Deleted task={task} />
  return (
    <>
      <FoundTask taskId={lookup.id} seq={props.transcriptOf ? undefined : props.seq} />
      {props.transcriptOf ? (
        <TranscriptDialog
          below={lookup.id}
          taskId={child.kind === 'found' ? child.id : null}
          requestedId={props.transcriptOf}
          seq={props.seq}
          replaying={props.replaying}
        />
      ) : null}
    </>
  )
}

/** The screen has buttons for these. */
const onScreen: TaskAction['id'][] = ['replay', 'review', 'stop']

function FoundTask({ taskId, seq }: { taskId: TaskId; seq: number | undefined }) {
  const task = useTask(taskId)
  const wide = useWide()
  const { preferences, navigation } = useStores()
  const { stop } = useActions()
  const open = usePreference('inspectorOpen')
  const width = usePreference('inspectorWidth')
  /** In a narrow window the inspector is a sheet that is not remembered. */
  const [sheet, setSheet] = useState(false)
  const [sent, setSent] = useState(0)
  const composer = useRef<HTMLTextAreaElement>(null)
  const footer = useToastsAbove()
  const running = task !== null && isRunning(task.status)
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const [stopsNext, pressStop] = useDoublePress(taskId, () => void stop(taskId))
  useArrival(
    taskId,
    (at) => at === 'end',
    () => setSent((count) => count + 1),
  )
  const resumable = useCanResume(task)
  const { resume } = useResumeActions()
  const panes = useTranscriptPanes(task, 'conversation', wide && open)
  const [reading] = useState(createReadingPosition)
  const viewTranscript = (id: TaskId) => navigation.go({ screen: 'task', taskId, transcriptOf: id })
  useKeys([
    { keys: 'o', label: 'Outline', group: 'Transcript', run: panes.outline.toggle },
    { keys: 'i', label: 'Changes and state', group: 'Agent', run: () => toggle() },
    ...(task?.parentId === null || (running && task?.spec.kind === 'model')
      ? [
          {
            keys: 'c',
            label: task.parentId === null ? 'Write a follow-up' : 'Write a message',
            group: 'Agent' as const,
            run: () => composer.current?.focus(),
          },
        ]
      : []),
    ...(resumable && !lost
      ? [
          {
            keys: 'r',
            label: 'Resume the agent',
            group: 'Agent' as const,
            run: () => void resume(taskId),
          },
        ]
      : []),
    ...(sheet && !wide
      ? [
          {
            keys: 'Escape',
            label: 'Close the sheet',
            group: 'Agent' as const,
            run: () => setSheet(false),
          },
        ]
      : running && !lost
        ? [
            {
              keys: 'Escape',
              label: 'Stop the agent (press it twice)',
              group: 'Agent' as const,
              run: pressStop,
            },
          ]
        : []),
  ])
  const toggle = () => {
    if (wide) preferences.setState({ inspectorOpen: !open })
    else setSheet(!sheet)
  }
  const replay = () => navigation.go({ screen: 'task', taskId, transcriptOf: taskId, replay: true })
  const review = () => navigation.go({ screen: 'review', taskId, path: null })
  if (!task) return null
  const shown = wide ? open : sheet
  return (
    <div className="relative flex min-h-0 flex-1">
      <section aria-label="Conversation" className="flex min-w-0 flex-1 flex-col">
        <TaskHeader
          task={task}
          onReview={review}
          actions={
            <>
              {/* A task that takes messages has its Stop button in the composer. */}
              {running && task.parentId && task.spec.kind !== 'model' ? (
                <Button
                  icon={<Square />}
                  disabled={lost}
                  title={unreachable}
                  onClick={() => void stop(taskId)}
                  shortcut="Esc"
                >
                  Stop
                </Button>
              ) : null}
              <TranscriptTools
                task={task}
                route={taskRoute(taskId)}
                scope="window"
                panes={panes}
                reading={reading}
                replaying={null}
                onReplay={replay}
                inTaskHeader
              />
              <ResumeButtons
                task={task}
                withKey
                resumedBelow={hasResumeLine(task) || task.sleep !== undefined}
                without={onScreen}
              />
              {task.archived ? (
                <IconButton
                  label="Open in the archive"
                  icon={<Archive />}
                  onClick={() => navigation.go({ screen: 'archive', taskId, tab: 'report' })}
                />
              ) : null}
              <IconButton
                label="Changes and state"
                shortcut="i"
                icon={<PanelRight />}
                pressed={shown}
                onClick={toggle}
              />
            </>
          }
        />
        <TranscriptPane
          key={taskId}
          taskId={taskId}
          from={seq ?? 'end'}
          onViewTranscript={viewTranscript}
          toEnd={sent}
          panes={panes}
          reading={reading}
        />
        <div ref={footer} className="flex shrink-0 flex-col">
          <ConversationFooter
            task={task}
            stopsNext={stopsNext && running && !lost}
            onSent={() => setSent(sent + 1)}
            onReview={review}
            composer={composer}
          />
        </div>
      </section>
      {shown && wide ? (
        <>
          <Splitter
            label="Width of the inspector"
            width={width}
            min={inspectorWidthMin}
            max={inspectorWidthMax}
            grows="right"
            onChange={(inspectorWidth) => preferences.setState({ inspectorWidth })}
          />
          <aside
            aria-label="Inspector"
            style={{ width }}
            // Isolated, so that sticky elements in it stay below the splitter. The maximum leaves room for the conversation.
            className="isolate flex max-w-[calc(100%-320px)] min-h-0 shrink-0 flex-col"
          >
            <Inspector task={task} onClose={toggle} />
          </aside>
        </>
      ) : null}
      {shown && !wide ? (
        <>
          {/* The sheet covers Stop and Send: the scrim shows that, and a click on it closes the sheet. */}
          <div
            aria-hidden
            data-scrim
            onClick={() => setSheet(false)}
            className="absolute inset-0 z-20 bg-scrim"
          />
          <aside
            aria-label="Inspector"
            className="absolute inset-y-0 right-0 z-20 flex w-[min(440px,100%)] flex-col border-l bg-canvas shadow-popup"
          >
            <Inspector task={task} onClose={toggle} />
          </aside>
        </>
      ) : null}
    </div>
  )
}

/** A second Esc counts this soon after the first; one alone may have been meant for something else. */
const secondPressMs = 3_000

/** Calls `act` at the second of two presses for the same `key`. `pressedOnce` is true between them. */
function useDoublePress(key: string, act: () => void): [pressedOnce: boolean, press: () => void] {
  const [pressed, setPressed] = useState<string | null>(null)
  useEffect(() => {
    if (pressed === null) return
    const timer = setTimeout(() => setPressed(null), secondPressMs)
    return () => clearTimeout(timer)
  }, [pressed])
  const pressedOnce = pressed === key
  const press = () => {
    setPressed(pressedOnce ? null : key)
    if (pressedOnce) act()
  }
  return [pressedOnce, press]
}
