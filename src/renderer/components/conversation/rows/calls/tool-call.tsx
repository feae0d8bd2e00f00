/** A tool call: one line (icon, verb, object, duration) that opens to input and output. */
import {
  FilePlus,
  FileText,
  Flag,
  FolderTree,
  GitMerge,
  Globe,
  ListTodo,
  ListTree,
  type LucideIcon,
  MessageCircleQuestionMark,
  Pencil,
  Search,
  SquareTerminal,
  StopCircle,
  Users,
  Wrench,
} from 'lucide-react'
import { useContext } from 'react'
import { type ToolIcon, traitsOf } from '../../../../../shared/agents/tool-traits.ts'
import {
  callGroupLabel,
  toolLabel,
  wasNotRun,
} from '../../../../../shared/projections/tool-calls/tool-labels.ts'
import type { ToolCallView } from '../../../../../shared/projections/transcript/turn-blocks.ts'
import { answerText } from '../../../../../shared/text/permission-text.ts'
import { Counts } from '../../../diff/counts.tsx'
import { elapsed } from '../../../primitives/format.ts'
import { classNames, StatusIcon, Took, useClockText } from '../../../primitives/index.ts'
import { ReportView } from '../../../task/report-view.tsx'
import { TaskCard } from '../../../task/task-card.tsx'
import { startedBy } from '../../../task/task-table.tsx'
import { WaitLine } from '../../../task/wait-line.tsx'
import { Disclosure } from '../../disclosure.tsx'
import { TaskLookupContext } from '../../task-lookup.ts'
import { ToolCallBody } from './tool-call-body.tsx'

const icons: Record<ToolIcon, LucideIcon> = {
  command: SquareTerminal,
  read: FileText,
  write: FilePlus,
  edit: Pencil,
  list: FolderTree,
  search: Search,
  web: Globe,
  agents: Users,
  'agent-list': ListTree,
  stop: StopCircle,
  apply: GitMerge,
  plan: ListTodo,
  report: Flag,
  question: MessageCircleQuestionMark,
}

/** Tools of an agent's own, or of other programs, get a wrench. */
const iconOf = (name: string): LucideIcon => {
  const traits = traitsOf(name)
  return traits ? icons[traits.icon] : Wrench
}

/** `cwd`: the working directory of its turn. */
export function ToolCall({ call, cwd }: { call: ToolCallView; cwd: string | null }) {
  const tasks = useContext(TaskLookupContext)
  const { detail } = call
  if (call.name === 'task') {
    const started = startedBy(call, tasks)
    if (started)
      return <TaskCard task={started.task} result={started.result} foldKey={call.callId} />
  }
  if (call.name === 'task_await' && detail?.kind === 'tasks' && detail.tasks.length > 0)
    return <WaitLine call={call} tasks={detail.tasks} />
  if (call.name === 'agent_report' && detail?.kind === 'report' && call.state === 'ok')
    return <ReportView title={detail.title} markdown={detail.markdown} foldKey={call.callId} />
  return <ToolCallLine call={call} cwd={cwd} />
}

/** Consecutive small calls in one line. */
export function ToolCallGroup(props: {
  calls: ToolCallView[]
  cwd: string | null
  foldKey: string
}) {
  const { calls, cwd, foldKey } = props
  const took = calls.reduce((sum, call) => sum + (call.durationMs ?? 0), 0)
  return (
    <Disclosure
      foldKey={foldKey}
      line={
        <>
          <Search aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="truncate text-muted">{callGroupLabel(calls)}</span>
          <Took ms={took} className="shrink-0 text-small text-faint" />
        </>
      }
      body={() => (
        <div className="ml-[7px] border-l pl-4">
          {calls.map((call) => (
            <ToolCallLine key={call.callId} call={call} cwd={cwd} />
          ))}
        </div>
      )}
    />
  )
}

function ToolCallLine({ call, cwd }: { call: ToolCallView; cwd: string | null }) {
  const isAsking = useContext(TaskLookupContext).isAsking?.(call.callId) === true
  const label = toolLabel(call, cwd)
  const notRun = wasNotRun(call)
  const failed = call.state === 'error' && !notRun
  const Icon = iconOf(call.name)
  const edit =
    call.detail?.kind === 'edit' && call.detail.change !== 'unchanged' ? call.detail : null
  return (
    <Disclosure
      foldKey={call.callId}
      openAtFirst={failed}
      line={
        <>
          {call.state === 'running' ? (
            <StatusIcon status={isAsking ? 'waiting' : 'spawned'} small decorative={isAsking} />
          ) : (
            <Icon
              aria-hidden
              className={classNames('size-3.5 shrink-0', failed ? 'text-red' : 'text-faint')}
            />
          )}
          <span className="flex min-w-0 items-baseline gap-1.5">
            <span className={classNames('shrink-0', failed ? 'text-red' : 'text-muted')}>
              {isAsking ? 'Waiting for you:' : label.verb}
              {failed ? <span className="sr-only"> (failed)</span> : null}
            </span>
            <span
              className={classNames('truncate', label.code && 'font-mono text-code')}
              dir="auto"
            >
              {label.object}
            </span>
          </span>
          {edit ? <Counts additions={edit.additions} deletions={edit.deletions} /> : null}
          {label.result ? (
            <span
              className={classNames(
                'text-small',
                call.name === 'ask_person' ? 'min-w-0 truncate' : 'shrink-0',
                resultColour(call),
              )}
            >
              {label.result}
            </span>
          ) : null}
          {call.permission ? (
            <span className="shrink-0 text-small text-faint">{answerText(call.permission)}</span>
          ) : null}
          {call.state === 'running' && call.startedAt !== null && !isAsking ? (
            <RunningTime startedAt={call.startedAt} />
          ) : null}
          {hasDuration(call) ? (
            <Took ms={call.durationMs ?? 0} className="shrink-0 text-small text-faint" />
          ) : null}
        </>
      }
      body={() => <ToolCallBody call={call} />}
    />
  )
}

function RunningTime({ startedAt }: { startedAt: string }) {
  const text = useClockText((now) => elapsed(now - Date.parse(startedAt), true))
  return <span className="tabular shrink-0 text-small text-faint">{text}</span>
}

/** A question's answer takes as long as the user does, and what was not tried takes none. */
const hasDuration = (call: ToolCallView): boolean =>
  call.durationMs !== null &&
  call.state !== 'unknown' &&
  call.name !== 'ask_person' &&
  !wasNotRun(call)

function resultColour(call: ToolCallView): string {
  const { state, detail } = call
  if (state === 'error') return wasNotRun(call) ? 'text-amber' : 'text-red'
  if (state === 'unknown') return 'text-amber'
  if (detail?.kind === 'apply' && detail.outcome.kind === 'conflict') return 'text-amber'
  if (detail?.kind === 'bash' && (detail.timedOut || detail.exitCode !== 0)) return 'text-amber'
  return 'text-faint'
}
