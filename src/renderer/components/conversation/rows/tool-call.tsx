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
import { type ToolIcon, traitsOf } from '../../../../shared/agents/tool-traits.ts'
import { appliedFileLine, isToolName } from '../../../../shared/agents/tools.ts'
import {
  callGroupLabel,
  toolLabel,
  wasNotRun,
} from '../../../../shared/projections/tool-calls/tool-labels.ts'
import type { ToolCallView } from '../../../../shared/projections/transcript/turn-blocks.ts'
import { lostOutputIn } from '../../../../shared/records/lost-output.ts'
import { answerText } from '../../../../shared/text/permission-text.ts'
import { Counts } from '../../diff/counts.tsx'
import { bytes, elapsed } from '../../primitives/format.ts'
import { classNames, StatusIcon, Took, useClockText } from '../../primitives/index.ts'
import { ReportView } from '../../task/report-view.tsx'
import { TaskCard } from '../../task/task-card.tsx'
import { startedBy } from '../../task/task-table.tsx'
import { WaitLine } from '../../task/wait-line.tsx'
import { languageOfPath } from '../../text/highlight-languages.ts'
import { Disclosure } from '../disclosure.tsx'
import { TaskLookupContext } from '../task-lookup.ts'
import { CallDiff } from './call-diff.tsx'
import { JsonValue } from './json-value.tsx'
import { LongText } from './long-text.tsx'
import { ShownImages } from './shown-images.tsx'
import { WholeOutput } from './whole-output.tsx'

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

/** The longest command that the line shows uncut, even in a narrow window. */
const shortCommandChars = 40

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

function ToolCallBody({ call }: { call: ToolCallView }) {
  const { detail, state } = call
  if (state === 'not-loaded')
    return (
      <p className="ml-5.5 text-small text-muted">
        The input and output are in a part of the transcript that is not loaded. Scroll up to load
        it.
      </p>
    )
  return (
    <div className="ml-5.5 space-y-2">
      {call.permission?.rule || call.permission?.message ? (
        <p className="untrusted text-small text-muted">
          {answerText(call.permission, { whole: true })}
        </p>
      ) : null}
      <div data-entry={call.seq} className="empty:hidden">
        <ToolInput call={call} />
      </div>
      {detail?.kind === 'edit' && detail.patch ? (
        // The diff replaces the input, so matches in the input are found here.
        <div data-entry={call.seq}>
          <CallDiff patch={detail.patch} path={detail.path} foldKey={`${call.callId}:diff`} />
        </div>
      ) : null}
      {/* The message about a conflict lists them. */}
      {detail?.kind === 'apply' && detail.outcome.kind === 'applied' ? (
        <ul className="font-mono text-code">
          {detail.outcome.files.map((file) => (
            <li key={file.path} className="untrusted">
              {appliedFileLine(file)}
            </li>
          ))}
        </ul>
      ) : null}
      {detail?.kind === 'edit' && detail.patch ? null : (
        <div data-entry={call.resultSeq} className="space-y-2">
          <ToolOutput call={call} />
        </div>
      )}
    </div>
  )
}

function ToolInput({ call }: { call: ToolCallView }) {
  // The diff shows it.
  if (call.detail?.kind === 'edit' && call.detail.patch) return null
  const input = call.input as Record<string, unknown> | null
  const foldKey = `${call.callId}:input`
  if (call.name === 'bash' && typeof input?.command === 'string')
    // The line above shows a short command in full.
    return input.command.length > shortCommandChars || input.command.includes('\n') ? (
      <LongText captioned label="Command" text={input.command} language="bash" foldKey={foldKey} />
    ) : null
  if (call.name === 'write_file' && typeof input?.content === 'string')
    return (
      <LongText
        captioned
        label="Content"
        text={input.content}
        language={typeof input.path === 'string' ? languageOfPath(input.path) : null}
        foldKey={foldKey}
      />
    )
  // A call without input shows nothing.
  if (input === null || (typeof input === 'object' && Object.keys(input).length === 0)) return null
  return <JsonValue captioned label="Input" value={call.input} foldKey={foldKey} />
}

/** Parsing and drawing more would cause a visible delay. */
const jsonCharsMax = 200_000

/** Returns the JSON result of another program's tool; null if it is no object or array. */
function jsonIn({ name, output }: ToolCallView): object | null {
  if (isToolName(name) || output === null || output.length > jsonCharsMax) return null
  if (!/^\s*[[{]/.test(output)) return null
  try {
    return JSON.parse(output)
  } catch {
    return null
  }
}

/** Shiplog's other tools return text without colours; the output of other programs' tools may have some. */
const printsToTerminal = ({ name }: ToolCallView): boolean =>
  !isToolName(name) || traitsOf(name)?.icon === 'command'

function ToolOutput({ call }: { call: ToolCallView }) {
  const { detail, output, state } = call
  if (state === 'running')
    return output === null ? (
      <p className="text-small text-muted">No output yet.</p>
    ) : (
      <LongText captioned terminal label="Output so far" text={output} followEnd />
    )
  if (state === 'unknown') {
    const printed = lostOutputIn(output ?? '')
    return (
      <>
        <p className="text-small text-amber">
          The agent was interrupted while this ran; the result is unknown. It won’t be run again.
        </p>
        {printed === null ? null : (
          <LongText
            captioned
            terminal
            label="Output until then"
            text={printed}
            foldKey={`${call.callId}:output`}
          />
        )}
      </>
    )
  }
  const answer = state === 'ok' ? jsonIn(call) : null
  const given = answer ? (
    <JsonValue captioned label="Output" value={answer} foldKey={`${call.callId}:output`} />
  ) : (
    <LongText
      captioned
      label={wasNotRun(call) ? 'What the agent was told' : state === 'error' ? 'Error' : 'Output'}
      tone={state === 'error' && !wasNotRun(call) ? 'error' : undefined}
      text={output ?? ''}
      terminal={printsToTerminal(call)}
      language={detail?.kind === 'read' ? languageOfPath(detail.path) : null}
      foldKey={`${call.callId}:output`}
    />
  )
  return (
    <>
      <ShownImages images={call.images} foldKey={`${call.callId}:images`} />
      {detail?.kind === 'bash' && detail.whole ? (
        <WholeOutput
          whole={detail.whole}
          bounded={given}
          seq={call.resultSeq}
          foldKey={`${call.callId}:whole`}
        />
      ) : (
        given
      )}
      {detail?.kind === 'bash' && detail.omittedBytes > 0 && !detail.whole ? (
        <p className="text-small text-muted">
          Output truncated: {bytes(detail.omittedBytes)} omitted from the middle.
        </p>
      ) : null}
    </>
  )
}
