import { ScrollText } from 'lucide-react'
import { useContext } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { TaskActionsContext } from '../conversation/task-lookup.ts'
import { Button } from '../primitives/index.ts'

/** Renders nothing where transcripts can't be opened. `iconIfNarrow`: without text in a narrow card. */
export function ViewTranscriptButton({
  taskId,
  title,
  iconIfNarrow = false,
}: {
  taskId: TaskId
  title: string
  iconIfNarrow?: boolean
}) {
  const { onViewTranscript } = useContext(TaskActionsContext)
  if (!onViewTranscript) return null
  return (
    <Button
      size="small"
      icon={<ScrollText />}
      aria-label={`View transcript of ${title}`}
      className="border-transparent bg-transparent text-muted"
      onClick={() => onViewTranscript(taskId)}
    >
      {iconIfNarrow ? (
        <span className="hidden @wide:inline">View transcript</span>
      ) : (
        'View transcript'
      )}
    </Button>
  )
}
