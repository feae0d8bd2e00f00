/** One row of a transcript. */

import {
  Braces,
  Brain,
  FolderGit2,
  GitBranch,
  GitFork,
  GitPullRequest,
  ListTodo,
  Play,
  RotateCcw,
  RotateCw,
  Square,
  SquareCheck,
  SquareDot,
} from 'lucide-react'
import { memo, useId } from 'react'
import type { PlanItem } from '../../../../shared/agents/agent-records.ts'
import { assertNever } from '../../../../shared/assert-never.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import { externalLink } from '../../../../shared/text/external-link.ts'
import { dayOf } from '../../../../shared/text/format-time.ts'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { bytes, duration, exactTime, timeOfDay } from '../../primitives/format.ts'
import { NoticeLine, StatusIcon, TextButton, useClockText } from '../../primitives/index.ts'
import { beginningOf, CauseText } from '../../task/cause-text.tsx'
import { TaskTable } from '../../task/task-table.tsx'
import { ExternalLink } from '../../text/index.ts'
import { Disclosure } from '../disclosure.tsx'
import { useFold } from '../fold-state.ts'
import { JsonValue } from './json-value.tsx'
import { LongMarkdown } from './long-markdown.tsx'
import { Divider, Note, QuietLine } from './quiet-line.tsx'
import { attemptWords, foreignWords, forkWords, planWords, runEndWords } from './row-name.ts'
import type { Row } from './rows.ts'
import { ShownImages } from './shown-images.tsx'
import { Compaction, Summary } from './summary.tsx'
import { ToolCall, ToolCallGroup } from './tool-call.tsx'

export const RowView = memo(function RowView({ row }: { row: Row }) {
  switch (row.kind) {
    case 'mark':
      return <Mark row={row} />
    case 'text':
      return (
        <LongMarkdown text={row.text} streaming={row.live} foldKey={row.key} className="py-1.5" />
      )
    case 'reasoning':
      return <Reasoning row={row} />
    case 'image':
      return <ShownImages images={[row.image]} foldKey={row.key} />
    case 'call':
      return (
        <div className="py-0.5">
          <ToolCall call={row.call} />
        </div>
      )
    case 'calls':
      return <ToolCallGroup calls={row.calls} foldKey={row.key} />
    case 'cards':
      return <TaskTable calls={row.calls} foldKey={row.key} />
    case 'turn-note':
      return row.note === 'working' ? (
        <QuietLine icon={<StatusIcon status="spawned" decorative small />}>Working…</QuietLine>
      ) : (
        <QuietLine icon={<StatusIcon status="interrupted" decorative small />}>
          This turn was interrupted. The partial output was saved.
        </QuietLine>
      )
    case 'attempt':
      return <FailedAttempt row={row} />
    case 'damage':
      return <DamageLine row={row} />
    case 'item':
      return <OtherItem row={row} />
    default:
      return assertNever(row)
  }
})

/** The day of what was not said today. */
function DayAndTime({ at }: { at: string }) {
  return useClockText((now) =>
    new Date(at).toDateString() === new Date(now).toDateString()
      ? timeOfDay(at)
      : `${dayOf(at, now)}, ${timeOfDay(at)}`,
  )
}

function Mark({ row }: { row: Extract<Row, { kind: 'mark' }> }) {
  return (
    <div className="flex items-center gap-3 pt-4 pb-1 text-small text-faint">
      <time dateTime={row.at} title={exactTime(row.at)}>
        {row.isNewDay ? <DayAndTime at={row.at} /> : timeOfDay(row.at)}
      </time>
      {row.branch ? (
        <span className="flex min-w-0 items-center gap-1">
          <GitBranch aria-label="Branch" className="size-3 shrink-0" />
          <span className="truncate" title={row.branch}>
            {row.branch}
          </span>
        </span>
      ) : null}
      {row.cwd ? (
        <span className="truncate font-mono" title={row.cwd}>
          {row.cwd}
        </span>
      ) : null}
    </div>
  )
}

function Reasoning({ row }: { row: Extract<Row, { kind: 'reasoning' }> }) {
  const text = row.text.trim()
  const firstLine = text.split('\n', 1)[0] ?? ''
  return (
    <Disclosure
      foldKey={row.key}
      line={
        <>
          <Brain aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="sr-only">Reasoning: </span>
          <span className="truncate text-muted italic" dir="auto">
            {firstLine}
          </span>
        </>
      }
      body={() => (
        <div
          className="untrusted ml-[7px] border-l py-1 pl-4 text-ui whitespace-pre-wrap text-muted"
          dir="auto"
        >
          {text}
        </div>
      )}
    />
  )
}

function OtherItem({ row }: { row: Extract<Row, { kind: 'item' }> }) {
  const { item } = row
  switch (item.kind) {
    case 'prompt':
      return (
        <div className="my-2 rounded-md bg-accent-tint px-3 py-2">
          {item.toRunning ? (
            <p className="text-small text-muted">You, while it was running</p>
          ) : (
            <span className="sr-only">Prompt: </span>
          )}
          <ShownImages images={item.images} foldKey={row.key} />
          <div className="untrusted text-read whitespace-pre-wrap" dir="auto">
            {item.text}
          </div>
        </div>
      )
    case 'run-start':
      return (
        <Divider icon={item.reason === 'prompt' ? <Play /> : <RotateCcw />}>
          Run {item.run}
          {item.reason === 'resume' ? ', resumed' : item.reason === 'retry' ? ', retried' : ''}
        </Divider>
      )
    case 'run-end':
      return <RunEnd status={item.status} cause={item.cause} run={item.run} foldKey={row.key} />
    case 'resume':
      return <Resumed drift={item.drift} foldKey={row.key} />
    case 'worktree':
      return (
        <QuietLine icon={<FolderGit2 />}>
          {item.path ? (
            <>
              Works in{' '}
              <span className="untrusted font-mono text-small" title={item.path}>
                {lastParts(item.path)}
              </span>
              {item.branch ? ` on ${item.branch}` : ''}
            </>
          ) : (
            'Left the worktree'
          )}
        </QuietLine>
      )
    case 'pr-link': {
      const url = externalLink(item.url)
      return (
        <QuietLine icon={<GitPullRequest />}>
          Pull request{' '}
          {url ? <ExternalLink url={url}>{item.url}</ExternalLink> : <span>{item.url}</span>}
        </QuietLine>
      )
    }
    case 'note':
      return <Note about={item.about} text={item.text} foldKey={row.key} />
    case 'summary':
      return <Summary text={item.text} foldKey={row.key} />
    case 'fork':
      return <Divider icon={<GitFork />}>{forkWords[item.edge]}</Divider>
    case 'plan':
      return (
        <Disclosure
          foldKey={row.key}
          line={
            <>
              <ListTodo aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="untrusted min-w-0 truncate text-muted">
                {planWords(item.items)}
                {currentOf(item.items)}
              </span>
            </>
          }
          body={() => <Plan items={item.items} />}
        />
      )
    case 'compaction':
      return <Compaction item={item} foldKey={row.key} />
    case 'foreign':
      return (
        <Disclosure
          foldKey={row.key}
          line={
            <>
              <Braces aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="untrusted truncate text-muted">
                {foreignWords(item.source, item.content)}, kept unchanged
              </span>
            </>
          }
          body={() => <JsonValue label="Entry" value={item.content} foldKey={`${row.key}:json`} />}
        />
      )
    case 'unknown':
      return (
        <Disclosure
          foldKey={row.key}
          line={
            <>
              <Braces aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="untrusted truncate text-muted">
                Entry of unknown type “{item.entry.originalType}”, kept unchanged:{' '}
                {item.entry.reason}
              </span>
            </>
          }
          body={() => (
            <JsonValue label="Entry" value={item.entry.record} foldKey={`${row.key}:json`} />
          )}
        />
      )
    default:
      return assertNever(item)
  }
}

/** The current item, shown in the line of a folded plan. */
function currentOf(items: PlanItem[]): string {
  const current = items.find(({ status }) => status === 'in-progress')
  return current ? ` · ${plainText(current.text)}` : ''
}

function Plan({ items }: { items: PlanItem[] }) {
  return (
    <ul className="ml-5.5 flex flex-col gap-0.5 py-1 text-ui text-muted">
      {items.map(({ text, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a recorded plan never changes, so positions identify its lines
        <li key={index} className="flex gap-2">
          <PlanMark status={status} />
          <span className="untrusted">{plainText(text)}</span>
        </li>
      ))}
    </ul>
  )
}

function PlanMark({ status }: Pick<PlanItem, 'status'>) {
  const { name, Icon, colour } = planMarks[status]
  return <Icon role="img" aria-label={name} className={`mt-0.5 size-3.5 shrink-0 ${colour}`} />
}

const planMarks = {
  pending: { name: 'To do', Icon: Square, colour: 'text-faint' },
  'in-progress': { name: 'In progress', Icon: SquareDot, colour: 'text-accent' },
  completed: { name: 'Done', Icon: SquareCheck, colour: 'text-green' },
}

function RunEnd(props: {
  status: 'completed' | 'interrupted' | 'failed'
  cause: Cause | null
  run: number
  foldKey: string
}) {
  const { status, cause, run, foldKey } = props
  const { said, why } = runEndWords({ run, status, cause })
  const isLong = beginningOf(why) !== why
  return (
    <>
      <Divider icon={<StatusIcon status={status} decorative />}>
        <span className="untrusted">
          {said}
          {isLong ? null : why}
        </span>
      </Divider>
      {isLong ? (
        <CauseText
          text={why.replace(/^:? /, '')}
          foldKey={`${foldKey}:cause`}
          className="pb-2 pl-5.5 text-ui text-muted"
        />
      ) : null}
    </>
  )
}

/** Where the task was resumed, and what had changed since it stopped. */
function Resumed({ drift, foldKey }: { drift: string[]; foldKey: string }) {
  const [open, toggle] = useFold(`${foldKey}:drift`)
  const bodyId = useId()
  const [first] = drift
  return (
    <>
      <Divider icon={<RotateCcw />}>
        Resumed
        {drift.length === 0 ? (
          ' · nothing had changed'
        ) : (
          <>
            {' · '}
            <span className="untrusted">
              {drift.length === 1 && first
                ? plainText(first)
                : `${drift.length} changes since it stopped`}
            </span>
            {drift.length > 1 ? (
              <TextButton
                className="ml-2"
                aria-expanded={open}
                aria-controls={open ? bodyId : undefined}
                onClick={toggle}
              >
                Details
              </TextButton>
            ) : null}
          </>
        )}
      </Divider>
      {open && drift.length > 1 ? (
        <ul id={bodyId} className="flex flex-col gap-0.5 pb-2 pl-5.5 text-small text-muted">
          {drift.map((line) => (
            <li key={line} className="untrusted">
              {plainText(line)}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}

/** What a failed attempt had said, folded under why it failed. */
function FailedAttempt({ row }: { row: Extract<Row, { kind: 'attempt' }> }) {
  const { rows, retry, key } = row
  const said = <span className="untrusted min-w-0">{attemptWords(retry)}</span>
  if (rows.length === 0)
    return (
      <QuietLine icon={<RotateCw className="text-amber" />}>
        {said}
        {retry ? <Waited retry={retry} /> : null}
      </QuietLine>
    )
  return (
    <Disclosure
      foldKey={key}
      line={
        <>
          <RotateCw aria-hidden className="size-3.5 shrink-0 text-amber" />
          <span className="min-w-0 text-muted">
            {said}
            {retry ? <Waited retry={retry} /> : null} Its output was kept.
          </span>
        </>
      }
      body={() => (
        <section
          aria-label="Output of the failed attempt"
          className="ml-[7px] border-l border-dashed pl-4 text-muted"
        >
          {rows.map((one) => (
            <div key={one.key} data-row={one.key}>
              <RowView row={one} />
            </div>
          ))}
        </section>
      )}
    />
  )
}

function Waited({ retry }: { retry: { untilMs: number | null; at: string } }) {
  const ms = retry.untilMs === null ? 0 : retry.untilMs - Date.parse(retry.at)
  return ms > 0 ? <span className="text-faint"> Waited {duration(ms)}.</span> : null
}

function DamageLine({ row }: { row: Extract<Row, { kind: 'damage' }> }) {
  const { file, line, bytes: count, reason } = row.damage
  return (
    <NoticeLine
      tone="warning"
      text="Part of this transcript is damaged and was skipped. All entries after it are shown."
      details={[`${file}:${line}: ${reason}. The ${bytes(count)} are kept in the file.`]}
    />
  )
}

/** The last two parts identify a path. */
const lastParts = (path: string): string => {
  const parts = path.split(/[\\/]/)
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path
}
