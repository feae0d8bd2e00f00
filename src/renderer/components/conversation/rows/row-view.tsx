/** One row of a transcript. */

import { Brain, GitBranch, RotateCw } from 'lucide-react'
import { memo } from 'react'
import { assertNever } from '../../../../shared/assert-never.ts'
import { dayOf } from '../../../../shared/text/format-time.ts'
import { readableText } from '../../../../shared/text/shown-text.ts'
import { bytes, exactTime, timeOfDay } from '../../primitives/format.ts'
import { NoticeLine, StatusIcon, useClockText } from '../../primitives/index.ts'
import { TaskTable } from '../../task/task-table.tsx'
import { Disclosure } from '../disclosure.tsx'
import { ToolCall, ToolCallGroup } from './calls/tool-call.tsx'
import { ItemView } from './items/item-view.tsx'
import { LongMarkdown } from './long-markdown.tsx'
import { NextAttemptActions, NextAttemptText } from './next-attempt.tsx'
import { QuietLine } from './quiet-line.tsx'
import type { Row } from './row.ts'
import { attemptText } from './row-name.ts'
import { ShownImages } from './shown-images.tsx'

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
          <ToolCall call={row.call} cwd={row.cwd} />
        </div>
      )
    case 'calls':
      return <ToolCallGroup calls={row.calls} cwd={row.cwd} foldKey={row.key} />
    case 'cards':
      return <TaskTable calls={row.calls} foldKey={row.key} />
    case 'turn-note':
      return row.note === 'working' ? (
        <QuietLine icon={<StatusIcon status="spawned" decorative small />}>Working…</QuietLine>
      ) : (
        <QuietLine icon={<StatusIcon status="interrupted" decorative small />}>
          This turn was interrupted
          {row.note === 'cut-short'
            ? '. The partial output was saved.'
            : ' before it did anything.'}
        </QuietLine>
      )
    case 'attempt':
      return <FailedAttempt row={row} />
    case 'damage':
      return <DamageLine row={row} />
    case 'item':
      return <ItemView item={row.item} foldKey={row.key} />
    default:
      return assertNever(row)
  }
})

/** The time, with its day if that is not today. */
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
  const text = readableText(row.text.trim())
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

/** The reason why an attempt failed, with its output folded below it. */
function FailedAttempt({ row }: { row: Extract<Row, { kind: 'attempt' }> }) {
  const { rows, retry, key } = row
  const attemptLine = (
    <span className="untrusted min-w-0">{attemptText(retry, row.earlier.length + 1)}</span>
  )
  if (rows.length === 0)
    return (
      <QuietLine icon={<RotateCw className="text-amber" />}>
        {attemptLine}
        <NextAttemptText row={row} />
        <NextAttemptActions row={row} className="ml-3" />
      </QuietLine>
    )
  const disclosure = (
    <Disclosure
      foldKey={key}
      line={
        <>
          <RotateCw aria-hidden className="size-3.5 shrink-0 text-amber" />
          <span className="min-w-0 text-muted">
            {attemptLine}
            <NextAttemptText row={row} /> Its output was kept.
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
  return (
    <>
      {disclosure}
      {/* Outside of the line, which is a button. */}
      <NextAttemptActions row={row} className="ml-5.5 text-ui" />
    </>
  )
}

function DamageLine({ row }: { row: Extract<Row, { kind: 'damage' }> }) {
  const { file, line, bytes: count, reason } = row.damage
  const isMissing = count === 0
  const kept = isMissing ? '' : ` The ${bytes(count)} are kept in the file.`
  return (
    <NoticeLine
      tone="warning"
      text={
        isMissing
          ? 'Part of this transcript is missing. All other entries are shown.'
          : 'Part of this transcript is damaged and was skipped. All entries after it are shown.'
      }
      details={[`${file}:${line}: ${reason}.${kept}`]}
    />
  )
}
