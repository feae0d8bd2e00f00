import { useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { DialogShell } from '../../components/primitives/index.ts'
import { useChildren, useLineage, useStores, useTask } from '../../store/hooks.ts'
import { fullScreenRoute, type TranscriptRoute, taskRoute } from '../../store/window/route.ts'
import { useReplayRoute } from '../replay/use-replay-route.ts'
import { useCanResume } from '../resume/resume-buttons.tsx'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { ConnectionBanner } from '../shell/banner.tsx'
import { NothingHere } from '../shell/nothing-here.tsx'
import { Overlays } from '../shell/overlays.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { createReadingPosition, seqOf } from './reading.ts'
import { TranscriptHeader } from './transcript-header.tsx'
import { TranscriptPane } from './transcript-pane.tsx'
import { useTranscriptPanes } from './use-panes.ts'

/**
 * A transcript over the conversation that it was opened from. A nested transcript replaces it in the same dialog; each
 * has an address.
 */
export function TranscriptDialog(props: {
  /** The conversation below, to which closing returns. */
  below: TaskId
  /** Null if `requestedId` is unknown or ambiguous. */
  taskId: TaskId | null
  requestedId: string
  /** The entry that it is opened at; else its beginning. */
  seq: number | undefined
  /** Shows the transcript's state at that entry. */
  replaying: boolean
}) {
  const { below, taskId, requestedId, seq, replaying } = props
  const { navigation } = useStores()
  const task = useTask(taskId)
  const lineage = useLineage(taskId)
  const siblings = useChildren(task?.parentId ?? null)
  const at = task?.parentId ? siblings.findIndex(({ id }) => id === task.id) : -1

  const show = (id: TaskId) => navigation.go(transcriptRoute(below, id))
  const close = () => navigation.go(taskRoute(below))
  /** Goes to the parent's transcript if that is below the conversation, else closes. */
  const up = () => {
    const level = lineage.findIndex(({ id }) => id === below)
    const above = level < 0 ? undefined : lineage.slice(level + 1).at(-2)
    if (above) show(above.id)
    else close()
  }
  const goTo = (index: number) => {
    const sibling = at >= 0 ? siblings[index] : undefined
    if (sibling) show(sibling.id)
  }
  const replay = useReplayRoute({
    taskId,
    seq,
    replaying,
    routeOf: (id) => transcriptRoute(below, id),
  })
  const resumable = useCanResume(task)
  const { resume } = useResumeActions()
  const panes = useTranscriptPanes(task, 'transcript')
  const [reading] = useState(createReadingPosition)
  const fullScreen = () => {
    if (taskId) navigation.go(fullScreenRoute(taskId, seqOf(reading)))
  }
  useKeys([
    ...(resumable && task
      ? [
          {
            keys: 'r',
            label: 'Resume the agent',
            group: 'Transcript' as const,
            scope: 'dialog' as const,
            run: () => void resume(task.id),
          },
        ]
      : []),
    {
      keys: 'o',
      label: 'Outline',
      group: 'Transcript',
      scope: 'dialog',
      run: panes.outline.toggle,
    },
    {
      keys: 'p',
      label: 'Replay',
      group: 'Transcript',
      scope: 'dialog',
      run: replay.toggle,
    },
    {
      keys: 'w',
      label: 'Full screen',
      group: 'Transcript',
      scope: 'dialog',
      run: fullScreen,
    },
    {
      keys: '[',
      label: 'Previous sibling',
      group: 'Transcript',
      scope: 'dialog',
      run: () => goTo(at - 1),
    },
    {
      keys: ']',
      label: 'Next sibling',
      group: 'Transcript',
      scope: 'dialog',
      run: () => goTo(at + 1),
    },
  ])

  return (
    <DialogShell
      open
      focus="dialog"
      over={<Overlays />}
      onClose={(reason) => {
        if (reason !== 'escape') close()
        else if (replaying) replay.onChange(null)
        else up()
      }}
      title={task ? `Transcript of ${task.title}` : 'Transcript'}
      header={
        task ? (
          <TranscriptHeader
            task={task}
            lineage={lineage}
            routeOf={(id) => (id === below ? taskRoute(below) : transcriptRoute(below, id))}
            position={at >= 0 ? { at, of: siblings.length } : null}
            onGoTo={goTo}
            panes={panes}
            replaying={replaying}
            onReplay={replay.toggle}
            reading={reading}
            isFullScreen={false}
            onFullScreen={fullScreen}
          />
        ) : undefined
      }
    >
      {/* The window's own banner is behind the dialog. */}
      <ConnectionBanner place="bottom" />
      {taskId && task ? (
        <TranscriptPane
          key={taskId}
          taskId={taskId}
          from={seq ?? 'start'}
          onViewTranscript={show}
          takeFocus
          scope="dialog"
          panes={panes}
          replay={replay}
          reading={reading}
        />
      ) : (
        <NothingHere what="task" id={requestedId} />
      )}
    </DialogShell>
  )
}

const transcriptRoute = (below: TaskId, id: TaskId): TranscriptRoute => ({
  screen: 'task',
  taskId: below,
  transcriptOf: id,
})
