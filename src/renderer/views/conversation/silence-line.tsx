import { Hourglass } from 'lucide-react'
import { activityText } from '../../../shared/records/tasks/activity.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { ActionLine } from '../../components/primitives/index.ts'
import { useSilenceText } from '../../components/task/silence.tsx'
import { useActivity } from '../../store/hooks.ts'

/** States above the composer that the agent has been silent for long. The Stop button is below or above it. */
export function SilenceLine({ task }: { task: Task }) {
  const activity = useActivity(task.id)
  const silence = useSilenceText(activity)
  if (silence === null || activity?.state !== 'working' || !isRunning(task.status)) return null
  const begins = `${silence.charAt(0).toLowerCase()}${silence.slice(1)}`
  return (
    <ActionLine label="Silent" look="attention" icon={<Hourglass aria-hidden />}>
      <p className="tabular">
        {`${activityText(activity)}… ${begins}. `}
        {activity.starts
          ? 'It is ended if it does not start. You can stop it and continue with another agent.'
          : 'It may still be at work. You can stop it: what it wrote is kept.'}
      </p>
    </ActionLine>
  )
}
