import type { TaskId } from '../../../shared/records/ids.ts'
import { useStores } from '../../store/hooks.ts'
import { linkTo, type TranscriptRoute } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
import type { ReplayPlace } from './replay-layout.tsx'

/** The address of a transcript with and without its replay, for a screen that shows transcripts. */
export function useReplayRoute(props: {
  /** Null while no transcript is shown. */
  taskId: TaskId | null
  /** The entry that it is opened at, or the moment of its replay. */
  seq: number | undefined
  replaying: boolean
  /** Returns the address of a transcript on this screen. */
  routeOf(id: TaskId): TranscriptRoute
}): ReplayPlace & { toggle(): void } {
  const { taskId, seq, replaying, routeOf } = props
  const { navigation } = useStores()
  const { copy } = useActions()
  const momentRoute = (id: TaskId, at: number | undefined): TranscriptRoute => ({
    ...routeOf(id),
    ...(at !== undefined && { seq: at }),
    replay: true,
  })
  const onChange: ReplayPlace['onChange'] = (moment) => {
    if (!taskId) return
    const closed = { ...routeOf(taskId), ...(seq !== undefined && { seq }) }
    // Moments are no steps of the history: back leaves the transcript.
    navigation.go(moment ? momentRoute(taskId, moment.seq) : closed, { replace: true })
  }
  return {
    open: replaying,
    onChange,
    toggle: () => onChange(replaying ? null : seq === undefined ? {} : { seq }),
    onAgent: (id, at) => navigation.go(momentRoute(id, at)),
    onCopyLink(at) {
      if (taskId) void copy(linkTo(momentRoute(taskId, at)), 'the link')
    },
  }
}
