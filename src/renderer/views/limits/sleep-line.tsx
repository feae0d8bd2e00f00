import { Moon } from 'lucide-react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { timeOfDay } from '../../components/primitives/format.ts'
import { ActionLine, Button } from '../../components/primitives/index.ts'
import { useUnreachable } from '../../store/hooks.ts'
import { useActions } from '../app/use-actions.ts'

/** Shows until when a tree waits for a spent quota, and what a user can do about it (Q1). */
export function SleepLine({ task }: { task: Task }) {
  const { wake, cancelSleep } = useActions()
  const unreachable = useUnreachable()
  const { sleep, options } = task
  if (!sleep) return null
  const common = { size: 'small', disabled: unreachable !== undefined, title: unreachable } as const
  return (
    <ActionLine
      label="Sleeping"
      look="information"
      icon={<Moon aria-hidden className="text-accent" />}
      actions={
        <>
          <Button {...common} onClick={() => void wake(task.id)}>
            Wake now
          </Button>
          <Button {...common} onClick={() => void cancelSleep(task.id)}>
            Don’t continue
          </Button>
        </>
      }
    >
      <p>
        Sleeping until <time dateTime={sleep.until}>{timeOfDay(sleep.until)}</time>, then continues
        by itself{options.quotaWaits ? ` (wait ${sleep.wait} of ${options.quotaWaits})` : ''}.
      </p>
      <p className="text-small text-muted">{plainText(sleep.reason)}</p>
    </ActionLine>
  )
}
