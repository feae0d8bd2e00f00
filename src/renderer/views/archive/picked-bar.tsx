import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { Button } from '../../components/primitives/index.ts'
import { useUnreachable } from '../../store/hooks.ts'
import { useActions } from '../app/use-actions.ts'

/** Deletes the agents that are selected in the list. */
export function PickedBar({ picked, onClear }: { picked: ReadonlySet<TaskId>; onClear(): void }) {
  const { trashAll } = useActions()
  const unreachable = useUnreachable()
  /** The progress of the deletion; null if there is none. */
  const [deleting, setDeleting] = useState<string | null>(null)
  return (
    <div className="flex shrink-0 items-center gap-2 border-b px-3 py-1.5">
      <span role="status" className="min-w-0 flex-1 truncate">
        {deleting ?? `${picked.size} selected`}
      </span>
      <Button size="small" disabled={deleting !== null} onClick={onClear}>
        Cancel
      </Button>
      <Button
        size="small"
        icon={<Trash2 />}
        disabled={deleting !== null || unreachable !== undefined}
        title={unreachable}
        onClick={async () => {
          setDeleting('Deleting…')
          await trashAll([...picked], setDeleting)
          setDeleting(null)
          onClear()
        }}
      >
        Delete
      </Button>
    </div>
  )
}
