import { useState } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { usePreference, useStores } from '../../store/hooks.ts'
import { useMedia } from '../shell/use-media.ts'

/** A pane beside a transcript. */
export interface PaneState {
  shown: boolean
  /** If there is no room beside the transcript, it covers the transcript and is not remembered. */
  isSheet: boolean
  toggle(): void
  close(): void
}

export interface TranscriptPanes {
  outline: PaneState
  /** Null: there is no report, or the transcript is a conversation, which shows it at its end. */
  report: PaneState | null
}

/** What else needs room in the window. */
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

/** Which panes are shown beside a transcript. `isCrowded`: there is another one. */
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
  return { shown, isSheet: !hasRoom, toggle: () => show(!shown), close: () => show(false) }
}
