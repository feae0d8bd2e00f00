import { useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { useChildren, useLineage, useStores, useTask, useTaskLookup } from '../../store/hooks.ts'
import { fullScreenRoute, taskRoute } from '../../store/window/route.ts'
import { useReplayRoute } from '../replay/use-replay-route.ts'
import { Deleted, NothingHere } from '../shell/nothing-here.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { createReadingPosition } from './reading.ts'
import { TranscriptHeader } from './transcript-header.tsx'
import { TranscriptPane } from './transcript-pane.tsx'
import { useTranscriptPanes } from './use-panes.ts'

/** A transcript alone in the window, without the sidebar: full screen, or a window of its own. */
export function TranscriptScreen(props: {
  requestedId: string
  seq: number | undefined
  /** Shows the transcript's state at that entry. */
  replaying: boolean
}) {
  const { requestedId, seq, replaying } = props
  const lookup = useTaskLookup(requestedId)
  const task = useTask(lookup.kind === 'found' ? lookup.id : null)
  if (lookup.kind !== 'found') return <NothingHere what="task" id={requestedId} lookup={lookup} />
  if (task?.trashed) return <Deleted task={task} />
  return <FoundTranscript key={lookup.id} taskId={lookup.id} seq={seq} replaying={replaying} />
}

function FoundTranscript(props: { taskId: TaskId; seq: number | undefined; replaying: boolean }) {
  const { taskId, seq, replaying } = props
  const { navigation } = useStores()
  const task = useTask(taskId)
  const lineage = useLineage(taskId)
  const siblings = useChildren(task?.parentId ?? null)
  const at = task?.parentId ? siblings.findIndex(({ id }) => id === taskId) : -1
  const panes = useTranscriptPanes(task, 'transcript')
  const [reading] = useState(createReadingPosition)
  const show = (id: TaskId) => navigation.go(fullScreenRoute(id))
  const goTo = (index: number) => {
    const sibling = at >= 0 ? siblings[index] : undefined
    if (sibling) show(sibling.id)
  }
  /** To the conversation of the root, with this transcript over it. */
  const leave = () => {
    const root = lineage[0]?.id ?? taskId
    navigation.go(
      root === taskId ? taskRoute(root) : { screen: 'task', taskId: root, transcriptOf: taskId },
    )
  }
  const replay = useReplayRoute({ taskId, seq, replaying, routeOf: fullScreenRoute })
  useKeys([
    { keys: 'o', label: 'Outline', group: 'Transcript', run: panes.outline.toggle },
    { keys: 'p', label: 'Replay', group: 'Transcript', run: replay.toggle },
    { keys: '[', label: 'Previous sibling', group: 'Transcript', run: () => goTo(at - 1) },
    { keys: ']', label: 'Next sibling', group: 'Transcript', run: () => goTo(at + 1) },
    {
      keys: 'Escape',
      label: replaying ? 'End the replay' : 'Leave full screen',
      group: 'Transcript',
      run: replaying ? replay.toggle : leave,
    },
  ])
  if (!task) return null
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="shrink-0 border-b px-4 py-2">
        <h1 className="sr-only">Transcript of {task.title}</h1>
        <TranscriptHeader
          task={task}
          lineage={lineage}
          routeOf={(id) => fullScreenRoute(id)}
          position={at >= 0 ? { at, of: siblings.length } : null}
          onGoTo={goTo}
          panes={panes}
          reading={reading}
          replaying={replaying}
          onReplay={replay.toggle}
          isFullScreen
          onFullScreen={leave}
        />
      </header>
      <TranscriptPane
        taskId={taskId}
        from={seq ?? 'start'}
        onViewTranscript={show}
        takeFocus
        panes={panes}
        reading={reading}
        replay={replay}
      />
    </div>
  )
}
