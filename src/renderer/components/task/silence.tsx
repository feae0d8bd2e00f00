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
  const text = useSilenceText(activity)
  if (text === null) return null
  const { starts } = activity as Extract<Activity, { state: 'working' }>
  return (
    <span
      className={`tabular text-amber ${className ?? ''}`}
      title={
        starts
          ? 'It has not answered since its program was started.'
          : 'It has written nothing and no command has printed anything since.'
      }
    >
      {text}
    </span>
  )
}

/** `Silent for 4m`, or `Still nothing for 1m` of an agent that starts; null if it is not silent. */
export function useSilenceText(activity: Activity | null): string | null {
  const doing = activity?.state === 'working' ? activity : null
  const since = doing?.silentSince
  const text = useClockText((now) => {
    if (since === undefined) return ''
    const lasting = silenceLasting(now, since)
    return doing?.starts ? `Still nothing for ${lasting}` : `Silent for ${lasting}`
  })
  return since === undefined ? null : text
}

/** In whole minutes: an agent is called silent only after one, which the clock of the page may not have reached. */
export const silenceLasting = (now: number, since: number): string =>
  elapsed(Math.max(1, Math.floor((now - since) / minuteMs)) * minuteMs)
