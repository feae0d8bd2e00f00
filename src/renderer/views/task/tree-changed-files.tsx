import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { ChangedFiles } from '../../components/task/changed-files.tsx'
import { useChangeSummary } from '../../store/hooks.ts'
import { useTreeChanges } from '../../store/tree-use.ts'

/** The files that a task and its sub-agents changed. With `onReview`, a click opens the review of its own, if there are any. */
export function TreeChangedFiles({ task, onReview }: { task: Task; onReview?: () => void }) {
  const changes = useTreeChanges(task)
  const own = useChangeSummary(onReview ? task : null)
  const counts = <ChangedFiles changes={changes} />
  if (!onReview || !own?.files || !changes?.files) return counts
  return (
    <button
      type="button"
      title="Review the changes"
      className="cursor-pointer rounded-sm hover:underline"
      onClick={onReview}
    >
      {counts}
    </button>
  )
}
