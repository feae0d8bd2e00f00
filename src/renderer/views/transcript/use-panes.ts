import { useState } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { usePreference, useStores } from '../../store/hooks.ts'
import { useMedia } from '../shell/use-media.ts'

/** A pane beside a transcript. */
export interface PaneState {
  shown: boolean
  /** Whether the pane covers the transcript for lack of room; then it is not remembered that it is open. */
  isSheet: boolean
  /** Whether it was opened since the transcript is shown; a pane that was open before does not take the focus. */
  wasOpenedHere: boolean
  toggle(): void
  close(): void
}

export interface TranscriptPanes {
  outline: PaneState
  /** Null: there is no report, or the transcript is a conversation, which shows it at its end. */
  report: PaneState | null
}

/** Where the transcript is shown, which determines how much room there is. */
type Place = 'transcript' | 'conversation' | 'archive'

/** The smallest windows with room for one more pane. */
const roomQueries: Record<Place | 'crowded', string> = {
  transcript: '(min-width: 960px)',
  conversation: '(min-width: 1200px)',
  archive: '(min-width: 1480px)',
  crowded: '(min-width: 1600px)',
}

const outlineOf = {
  transcript: 'outlineOpen',
  archive: 'outlineOpen',
  conversation: 'conversationOutlineOpen',
} as const

/** The panes beside a transcript. `isCrowded`: the window has another pane as well. */
export function useTranscriptPanes(
  task: Task | null,
  place: Place,
  isCrowded = false,
): TranscriptPanes {
  const hasRoom = useMedia(roomQueries[isCrowded ? 'crowded' : place])
  const outline = usePane(outlineOf[place], hasRoom)
  const report = usePane('reportOpen', hasRoom)
  const hasReport = task?.hasReport === true && place !== 'conversation'
  return { outline, report: hasReport ? report : null }
}

function usePane(
  key: 'outlineOpen' | 'conversationOutlineOpen' | 'reportOpen',
  hasRoom: boolean,
): PaneState {
  const { preferences } = useStores()
  const remembered = usePreference(key)
  const [sheet, setSheet] = useState(false)
  const show = (open: boolean) => (hasRoom ? preferences.setState({ [key]: open }) : setSheet(open))
  const shown = hasRoom ? remembered : sheet
  const [wasOpenedHere, setOpenedHere] = useState(false)
  return {
    shown,
    isSheet: !hasRoom,
    wasOpenedHere,
    toggle() {
      setOpenedHere(!shown)
      show(!shown)
    },
    close: () => show(false),
  }
}
