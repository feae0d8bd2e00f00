/** The accessible names of rows: by their content, never by their type alone. Pure. */
import type { PlanItem } from '../../../../shared/agents/agent-records.ts'
import { callGroupLabel, toolLabel } from '../../../../shared/projections/tool-calls/tool-labels.ts'
import type { ToolCallView } from '../../../../shared/projections/transcript/turn-blocks.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { counted, exactTime, timeOfDay } from '../../primitives/format.ts'
import { afterInterrupted, plainCause } from '../../task/plain-cause.ts'
import type { Row } from './row.ts'

/** Long enough to identify the row; its content is read next. */
const nameCharsMax = 120

export function rowName(row: Row): string {
  switch (row.kind) {
    case 'text':
      return beginning(row.text)
    case 'reasoning':
      return `Reasoning: ${beginning(row.text)}`
    case 'image':
      return `Image, ${row.image.mediaType}`
    case 'call':
      return callName(row.call, row.cwd)
    case 'calls':
      return callGroupLabel(row.calls)
    case 'cards':
      return `Started ${counted(row.calls.length, 'task')}`
    case 'mark':
      return [timeOfDay(row.at), row.branch && `branch ${row.branch}`, row.cwd && `in ${row.cwd}`]
        .filter(Boolean)
        .join(', ')
    case 'damage':
      return 'Damaged part of the transcript'
    case 'attempt':
      return attemptText(row.retry, row.earlier.length + 1) + attemptEnds[row.next?.kind ?? 'none']
    case 'turn-note':
      return turnNoteNames[row.note]
    case 'item':
      return itemName(row.item)
  }
}

const attemptEnds = { attempt: ' Tried again.', 'run-end': ' Not tried again.', none: '' }

const turnNoteNames = {
  working: 'Working',
  'cut-short': 'Turn interrupted',
  'cut-before-anything': 'Turn interrupted',
}

/** `Ran node test.js, failed, exit 1`. */
function callName(call: ToolCallView, cwd: string | null): string {
  const { verb, object, result } = toolLabel(call, cwd)
  const failed = call.state === 'error' ? 'failed' : null
  return [`${verb} ${beginning(object)}`.trim(), failed, result].filter(Boolean).join(', ')
}

function itemName(item: Extract<Row, { kind: 'item' }>['item']): string {
  switch (item.kind) {
    case 'prompt':
      return `${item.toRunning ? 'Message' : 'Prompt'}: ${beginning(item.text)}`
    case 'run-start':
      return `Run ${item.run} started`
    case 'run-end': {
      const { outcome, why } = runEndText(item)
      return outcome + why
    }
    case 'resume':
      return `Resumed at ${exactTime(item.at)}`
    case 'worktree':
      return item.path ? `Works in ${item.path}` : 'Left the worktree'
    case 'pr-link':
      return `Pull request ${item.url}`
    case 'note':
      return beginning(item.text)
    case 'summary':
      return `Summary: ${beginning(item.text)}`
    case 'plan':
      return planText(item.items)
    case 'fork':
      return forkTexts[item.edge]
    case 'compaction':
      return `Context compacted: ${beginning(item.summary)}`
    case 'foreign':
      return foreignText(item.source, item.content)
    case 'unknown':
      return `Entry of unknown type ${item.entry.originalType}`
  }
}

/** `Plan: 2 of 5 done`. */
export function planText(items: PlanItem[]): string {
  const done = items.filter(({ status }) => status === 'completed').length
  return `Plan: ${done} of ${items.length} done`
}

/** `Attempt failed 3 times: rate limited.`; null: the reason is not loaded. */
export function attemptText(retry: { cause: Cause } | null, times = 1): string {
  const failed = times === 1 ? 'Attempt failed' : `Attempt failed ${times} times`
  return retry ? `${failed}: ${plainCause(retry.cause).replace(/\.$/, '')}.` : `${failed}.`
}

export const forkTexts = {
  start: 'Abandoned branch of the conversation begins',
  end: 'Abandoned branch ends; the conversation continues from before it',
}

/** `Run 2 was interrupted`, and ` because Shiplog quit`. */
export function runEndText(end: {
  run: number
  status: 'completed' | 'interrupted' | 'failed'
  cause: Cause | null
}): { outcome: string; why: string } {
  const { run, status, cause } = end
  const verb = { completed: 'ended', interrupted: 'was interrupted', failed: 'failed' }[status]
  const why =
    status === 'interrupted' ? afterInterrupted(cause) : cause ? `: ${plainCause(cause)}` : ''
  return { outcome: `Run ${run} ${verb}`, why }
}

function beginning(text: string): string {
  const line = plainText(text.trim().slice(0, nameCharsMax * 2))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > nameCharsMax ? `${line.slice(0, nameCharsMax)}…` : line
}

/** Imports keep several records in one entry. */
export function foreignText(source: string, content: unknown): string {
  const { records } = (content ?? {}) as { records?: unknown }
  return Array.isArray(records) ? `${records.length} records of ${source}` : `Entry of ${source}`
}
