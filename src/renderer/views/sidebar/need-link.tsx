import {
  classNames,
  RelativeTime,
  type ShownStatus,
  StatusIcon,
  TitleText,
  useClockText,
} from '../../components/primitives/index.ts'
import { silenceLasting } from '../../components/task/silence.tsx'
import type { Need } from '../../store/attention/needs-you.ts'
import { useProjectLabel, useStores, useTask } from '../../store/hooks.ts'
import { formatRoute, taskRoute } from '../../store/window/route.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

const kindLabels: Record<Need['kind'], { label: string; status: ShownStatus }> = {
  permission: { label: 'Permission', status: 'waiting' },
  question: { label: 'Question', status: 'waiting' },
  budget: { label: 'Limit reached', status: 'waiting' },
  stuck: { label: 'Silent', status: 'waiting' },
  'not-resumed': { label: 'Not resumed', status: 'interrupted' },
  drift: { label: 'Conflicts', status: 'interrupted' },
  failed: { label: 'Failed', status: 'failed' },
  review: { label: 'Ready to review', status: 'completed' },
}

/** A link to the place where a need of the user is answered. `roomy` adds its time and project. */
export function NeedLink(props: {
  need: Need
  current?: boolean
  roomy?: boolean
  className?: string
}) {
  const { need, current = false, roomy = false, className } = props
  const { arrivals } = useStores()
  const { resume } = useResumeActions()
  return (
    <a
      href={formatRoute(taskRoute(need.taskId))}
      onClick={() => {
        arrivals.expect(need)
        if (need.kind === 'drift' || need.kind === 'not-resumed') void resume(need.taskId)
      }}
      aria-current={current ? 'page' : undefined}
      className={classNames(
        'focus-inset flex items-center hover:bg-hover aria-[current]:bg-accent-tint',
        className,
      )}
    >
      <StatusIcon status={kindLabels[need.kind].status} decorative />
      <span className="min-w-0 flex-1">
        <TitleText title={need.title} />
        <NeedLine need={need} />
      </span>
      {roomy ? <TimeAndProject need={need} /> : null}
    </a>
  )
}

function TimeAndProject({ need }: { need: Need }) {
  const project = useProjectLabel(useTask(need.taskId)?.projectId ?? null)
  return (
    <span className="shrink-0 text-right text-small text-muted">
      <RelativeTime at={new Date(need.since).toISOString()} className="block" />
      <span className="block max-w-48 truncate">{project}</span>
    </span>
  )
}

function NeedLine({ need }: { need: Need }) {
  const { kind, text, since, isCode } = need
  const silentFor = useClockText((now) => silenceLasting(now, since))
  if (isCode)
    return <code className="untrusted block truncate font-mono text-small text-muted">{text}</code>
  const label = kind === 'stuck' ? `Silent for ${silentFor}` : kindLabels[kind].label
  return (
    <span className="untrusted block truncate text-small text-muted" title={text}>
      {label}
      {text === '' ? '' : ` · ${text}`}
    </span>
  )
}
