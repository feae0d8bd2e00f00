/**
 * Renders a transcript as Markdown: prompts, turns with reasoning, text and tool calls, and the events between them,
 * each with its `seq`. Pure and incremental, so that a transcript of any length can be written page by page: the
 * returned text is final, and only the turn in progress is held back.
 */
import type { ImageRef } from '../../agents/agent-records.ts'
import { assertNever } from '../../assert-never.ts'
import { formatCause } from '../../records/causes.ts'
import type { Entry } from '../../records/entries.ts'
import type { PartialMessage } from '../../records/entry-types/messages.ts'
import { answerText } from '../../text/permission-text.ts'
import { describeToolCall } from '../tool-calls/describe-tool-call.ts'
import { createFinalItems } from './final-items.ts'
import type { TranscriptItem } from './transcript-items.ts'
import type { ToolCallView } from './turn-blocks.ts'

interface TranscriptMarkdown {
  /** Returns the Markdown that these entries make final; `''` if they only start or continue a turn. */
  add(entries: Iterable<Entry>): string
  /** Returns the rest, with the unfinished message in its place. */
  end(ending?: TranscriptEnding): string
}

export interface TranscriptEnding {
  partial?: PartialMessage | null
  /** True if the agent is still running. */
  live?: boolean
  /** True if there are more entries that were not requested. */
  cut?: boolean
}

export function createTranscriptMarkdown(): TranscriptMarkdown {
  const items = createFinalItems()
  const markdown = createItemMarkdown()
  return {
    add: (entries) =>
      items
        .add(entries)
        .map((item) => markdown(item))
        .join(''),
    end: ({ partial, live, cut = false } = {}) =>
      items
        .end({ partial, live })
        .map((item) => markdown(item, { isCut: cut && isUnread(item) }))
        .join(''),
  }
}

/**
 * Returns a function that renders items in order, with the agent's directory and branch where they change. `level`: of
 * their headings.
 */
export function createItemMarkdown({
  level = 2,
} = {}): (item: TranscriptItem, options?: { isCut?: boolean }) => string {
  const place: Place = { cwd: null, gitBranch: null }
  const marks = '#'.repeat(level)
  return (item, { isCut = false } = {}) => `${marks} ${renderItem(item, place, isCut)}`
}

/** Its calls were read, but not its message, so it may be complete. */
const isUnread = (item: TranscriptItem): boolean => item.kind === 'turn' && item.at === null

/** The last shown directory and branch, which are shown again only after a change. */
interface Place {
  cwd: string | null
  gitBranch: string | null
}

const imageLine = ({ mediaType, bytes, sha256 }: ImageRef): string =>
  `*Image (${mediaType}, ${bytes} bytes): blobs/${sha256}*`

function renderItem(item: TranscriptItem, place: Place, isCut = false): string {
  switch (item.kind) {
    case 'prompt':
      return section(
        item.toRunning ? 'Message while it was running' : 'Prompt',
        metaOf(item, place),
        [...item.images.map(imageLine), quote(item.text)],
      )
    case 'turn':
      return section(
        `Turn ${item.turn}${isCut ? ' (continues)' : turnSuffix[item.status]}`,
        metaOf(item, place),
        item.blocks.map((block) => {
          if (block.kind === 'tool') return renderCall(block.call)
          if (block.kind === 'image') return imageLine(block)
          return block.kind === 'reasoning'
            ? `*Reasoning*\n\n${quote(block.text)}`
            : block.text.trim()
        }),
      )
    case 'run-start':
      return section(`Run ${item.run} started`, metaOf(item, place), [
        item.reason === 'prompt' ? '' : `It was started by a ${item.reason}.`,
      ])
    case 'run-end':
      return section(`Run ${item.run} ${item.status}`, metaOf(item, place), [
        item.cause ? formatCause(item.cause) : '',
      ])
    case 'resume':
      return section('Resumed', metaOf(item, place), [
        item.drift.length === 0
          ? 'Nothing had changed.'
          : item.drift.map((sentence) => `- ${sentence}`).join('\n'),
      ])
    case 'worktree':
      return section(
        item.path === null ? 'Worktree left' : 'Worktree entered',
        metaOf(item, place),
        [item.path === null ? '' : `${code(item.path)} on ${code(item.branch ?? 'no branch')}`],
      )
    case 'pr-link':
      return section('Pull request', metaOf(item, place), [`<${item.url}>`])
    case 'plan':
      return section('Plan', metaOf(item, place), [
        item.items.map(({ text, status }) => `- [${planBox[status]}] ${text}`).join('\n'),
      ])
    case 'compaction':
      return section('Compaction', metaOf(item, place), [
        `From here on the agent has this summary in place of the entries before ${item.keptFromSeq}.`,
        ...item.images.map(imageLine),
        quote(item.summary),
      ])
    case 'retry':
      return section('Attempt failed', metaOf(item, place), [
        `Turn ${item.turn} was retried: ${formatCause(item.cause)}`,
      ])
    case 'fork':
      return section(
        item.edge === 'start' ? 'Abandoned branch begins' : 'Abandoned branch ends',
        metaOf(item, place),
        [],
      )
    case 'foreign':
      return section(`Entry of ${code(item.source)}`, metaOf(item, place), [
        fence(JSON.stringify(item.content, null, 2), 'json'),
      ])
    case 'note':
      return section('Note', metaOf(item, place), [item.text])
    case 'summary':
      return section('Summary', metaOf(item, place), [item.text])
    case 'unknown':
      return section(`Entry of type ${code(item.entry.originalType)}`, metaOf(item, place), [
        `This version can't show it (${item.entry.reason}); this is its original record.`,
        fence(JSON.stringify(item.entry.record, null, 2), 'json'),
      ])
    default:
      return assertNever(item)
  }
}

const planBox = { pending: ' ', 'in-progress': '-', completed: 'x' }

const turnSuffix = {
  complete: '',
  interrupted: ' (interrupted)',
  superseded: ' (failed, and retried)',
  live: ' (in progress)',
}

/** Returns the section without the `#` of its heading. */
function section(heading: string, meta: string, blocks: string[]): string {
  const body = [meta, ...blocks].filter((block) => block !== '')
  return `${heading}\n\n${body.join('\n\n')}\n\n`
}

/** `*seq 12 · 2026-11-21 07:51:02Z · branch main · in /home/ada/api*`. */
function metaOf(
  item: { seq: number; at: string | null; cwd?: string | null; gitBranch?: string | null },
  place: Place,
): string {
  const parts = [`seq ${item.seq}`]
  if (item.at !== null) parts.push(`${item.at.slice(0, 10)} ${item.at.slice(11, 19)}Z`)
  if (item.gitBranch != null && item.gitBranch !== place.gitBranch) {
    place.gitBranch = item.gitBranch
    parts.push(`branch ${code(item.gitBranch)}`)
  }
  if (item.cwd != null && item.cwd !== place.cwd) {
    place.cwd = item.cwd
    parts.push(`in ${code(item.cwd)}`)
  }
  return `*${parts.join(' · ')}*`
}

const outcomes: Record<ToolCallView['state'], string> = {
  ok: '',
  error: ' · failed',
  unknown: ' · outcome unknown',
  running: ' · still running',
  'not-loaded': ' · not loaded',
}

function renderCall(call: ToolCallView): string {
  const took = call.durationMs === null ? '' : ` · ${durationText(call.durationMs)}`
  const title = `**Tool** ${code(describeToolCall(call.name, call.input))}${outcomes[call.state]}${took}`
  const { detail } = call
  if (detail?.kind === 'report') {
    return `${title}\n\n${quote(`**${detail.title}**\n\n${detail.markdown}`)}`
  }
  // A diff has the content of the input.
  const patch = detail?.kind === 'edit' ? detail.patch : null
  const permission =
    call.permission === null ? '' : `*${answerText(call.permission, { whole: true })}*`
  const blocks = [title, permission, patch === null ? renderInput(call) : fence(patch, 'diff')]
  if (call.output !== null && call.output !== '') blocks.push('Output:', fence(call.output))
  return blocks.filter((block) => block !== '').join('\n\n')
}

const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

function renderInput(call: ToolCallView): string {
  if (call.input === null || call.state === 'not-loaded') return ''
  const fields = call.input as Record<string, unknown>
  if (call.name === 'bash' && typeof fields.command === 'string') return fence(fields.command, 'sh')
  return fence(JSON.stringify(call.input, null, 2), 'json')
}

/** A block quote. */
export const quote = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')

/** Returns inline code on one line; the text may contain backticks. */
function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const ticks = '`'.repeat(longestRun(line) + 1)
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${padding}${line}${padding}${ticks}`
}

/** A code block whose fence is longer than any run of backticks inside. */
function fence(text: string, language = ''): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${ticks}${language}\n${text.replace(/\n$/, '')}\n${ticks}`
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
