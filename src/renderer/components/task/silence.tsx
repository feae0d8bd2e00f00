import type { Activity } from '../../../shared/records/tasks/activity.ts'
import { elapsed } from '../primitives/format.ts'
import { useClockText } from '../primitives/index.ts'

const minuteMs = 60_000

export const isSilent = (activity: Activity | null): boolean =>
  activity?.state === 'working' && activity.silentSince !== undefined

/** `Silent for 4m` if an agent was inactive for a while; renders nothing before that. */
export function Silence({
  activity,
  className,
}: {
  activity: Activity | null
  className?: string
}) {
  const since = activity?.state === 'working' ? activity.silentSince : undefined
  const text = useClockText((now) =>
    since === undefined
      ? ''
      : `Silent for ${elapsed(Math.floor((now - since) / minuteMs) * minuteMs)}`,
  )
  if (since === undefined) return null
  return (
    <span
      className={`tabular text-amber ${className ?? ''}`}
      title="It has written nothing and no command has printed anything since."
    >
      {text}
    </span>
  )
}
