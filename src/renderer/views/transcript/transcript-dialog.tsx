import { useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { DialogShell } from '../../components/primitives/index.ts'
import { useAppInfo, useChildren, useLineage, useStores, useTask } from '../../store/hooks.ts'
import { fullScreenRoute, linkOf, type Route, taskRoute } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
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
  const { copy } = useActions()
  const { info } = useAppInfo()
  const momentRoute = (id: TaskId, at: number | undefined): Route => ({
    ...transcriptRoute(below, id),
    ...(at !== undefined && { seq: at }),
    replay: true,
  })
  const changeReplay = (moment: { seq?: number } | null) => {
    if (!taskId) return
    const to = moment
      ? momentRoute(taskId, moment.seq)
      : { ...transcriptRoute(below, taskId), ...(seq !== undefined && { seq }) }
    navigation.go(to, { replace: true })
  }
  const toggleReplay = () => changeReplay(replaying ? null : seq === undefined ? {} : { seq })
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
      run: toggleReplay,
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
        else if (replaying) changeReplay(null)
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
            onReplay={toggleReplay}
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
          replay={{
            open: replaying,
            onChange: changeReplay,
            onAgent: (id, at) => navigation.go(momentRoute(id, at)),
            onCopyLink: (at) =>
              void copy(linkOf(momentRoute(taskId, at), info?.host ?? null, location), 'the link'),
          }}
          reading={reading}
        />
      ) : (
        <NothingHere what="task" id={requestedId} />
      )}
    </DialogShell>
  )
}

const transcriptRoute = (below: TaskId, id: TaskId): Extract<Route, { screen: 'task' }> => ({
  screen: 'task',
  taskId: below,
  transcriptOf: id,
})
