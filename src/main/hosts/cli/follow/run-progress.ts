/**
 * Prints the progress of a run on standard error: a line for each change of a task's state, and the agents' output and
 * actions as they happen, each line marked with its agent.
 */

import type { SessionFeedEvent } from '../../../../shared/contract/feed.ts'
import { describeToolCall } from '../../../../shared/projections/tool-calls/describe-tool-call.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import type { MessagePart } from '../../../../shared/records/entry-types/messages.ts'
import { type EntryId, shortId, type TaskId } from '../../../../shared/records/ids.ts'
import { formatRunSandbox } from '../../../../shared/records/projects/sandbox.ts'
import { permissionText } from '../../../../shared/text/permission-text.ts'
import { terminalText } from '../../../../shared/text/terminal-text.ts'
import type { Output } from '../terminal/output.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import { padEnd, textWidth, truncate } from '../terminal/text-width.ts'
import type { RunWatcher } from './follow-trees.ts'
import { createLineStream, type LineStream } from './line-stream.ts'
import { createStateLines, retryText, tryNowHint } from './state-lines.ts'

/** The width of lines without a terminal. */
const columnsWithoutTerminal = 100
const markWidth = 18
/** After this time without output, an unfinished line is printed. */
const quietMs = 400
const lineWidthMin = 20

type Progress = Extract<SessionFeedEvent, { type: 'partial' | 'delta' }>

/** The message in progress of a task, and how much of it was printed. */
interface Speech {
  title: string
  uuid: EntryId | null
  parts: { type: 'text' | 'reasoning'; text: string; shown: number }[]
  lines: LineStream
  /** Style of the part whose line is unfinished. */
  style: 'dim' | null
  /** Runs while a line is unfinished. */
  quiet: NodeJS.Timeout | undefined
}

export function createRunProgress(err: Output, now: () => number): RunWatcher {
  const states = createStateLines(err, now)
  const speeches = new Map<TaskId, Speech>()

  const width = Math.max(lineWidthMin, (err.columns ?? columnsWithoutTerminal) - markWidth - 3)

  const writeLine = (text: string) => err.write(`${text}\n`).catch(() => {})

  function speechOf(taskId: TaskId): Speech {
    const known = speeches.get(taskId)
    if (known) return known
    const speech: Speech = {
      title: shortId(taskId),
      uuid: null,
      parts: [],
      lines: createLineStream(width),
      style: null,
      quiet: undefined,
    }
    speeches.set(taskId, speech)
    return speech
  }

  async function writeMarked(speech: Speech, text: string, style: 'dim' | 'red' | null) {
    const mark = err.style('dim', `${padEnd(truncate(speech.title, markWidth), markWidth)} │ `)
    await writeLine(mark + (style ? err.style(style, text) : text))
  }

  async function flush(speech: Speech): Promise<void> {
    clearTimeout(speech.quiet)
    for (const line of speech.lines.flush()) await writeMarked(speech, line, speech.style)
  }

  async function showNewText(speech: Speech): Promise<void> {
    for (const part of speech.parts) {
      const newText = part.text.slice(part.shown)
      if (newText === '') continue
      if (part.shown === 0) await flush(speech)
      part.shown = part.text.length
      speech.style = part.type === 'reasoning' ? 'dim' : null
      for (const line of speech.lines.add(safeText(newText))) {
        await writeMarked(speech, line, speech.style)
      }
      clearTimeout(speech.quiet)
      speech.quiet = setTimeout(() => void flush(speech), quietMs).unref()
    }
  }

  async function beginMessage(speech: Speech, uuid: EntryId): Promise<void> {
    if (speech.uuid === uuid) return
    await flush(speech)
    speech.uuid = uuid
    speech.parts = []
  }

  /** Replaces the parts by those of the same message. Parts without text are kept, so that positions agree. */
  function replaceParts(speech: Speech, parts: MessagePart[]): void {
    speech.parts = parts.map((part, index) => ({
      type: part.type === 'reasoning' ? 'reasoning' : 'text',
      text: 'text' in part ? part.text : '',
      shown: speech.parts[index]?.shown ?? 0,
    }))
  }

  async function showEntry(taskId: TaskId, entry: Entry): Promise<void> {
    const speech = speechOf(taskId)
    switch (entry.type) {
      case 'message':
        if (entry.role !== 'assistant') return
        await beginMessage(speech, entry.uuid)
        replaceParts(speech, entry.parts)
        await showNewText(speech)
        return flush(speech)
      case 'run-start':
        if (entry.withheld?.length) await writeMarked(speech, withheldLine(entry.withheld), 'dim')
        if (entry.sandbox)
          await writeMarked(speech, safeLine(formatRunSandbox(entry.sandbox)), 'dim')
        return
      case 'tool-call':
        await flush(speech)
        return writeMarked(
          speech,
          truncate(`→ ${safeLine(describeToolCall(entry.name, entry.input))}`, width),
          'dim',
        )
      case 'retrying':
        await flush(speech)
        for (const line of [retryText(entry), tryNowHint(taskId, entry) ?? []].flat())
          await writeMarked(speech, truncate(line, width), 'dim')
        return
      case 'permission':
        return writePermission(speech, entry)
      case 'tool-result':
        if (entry.outcome === 'ok') return
        return writeMarked(speech, failureLine(entry, width), 'red')
      default:
        return
    }
  }

  async function writePermission(
    speech: Speech,
    { callId, question, answer }: Extract<Entry, { type: 'permission' }>,
  ): Promise<void> {
    if (answer?.by === 'rule' && answer.allowed) return
    const text = answer
      ? permissionText(question, answer)
      : `Waiting for a permission: ${safeLine(question)}`
    // Modes and rules apply to calls only.
    const hint = answer?.by === 'nobody' && callId !== null ? `. ${unattendedHint}` : ''
    await writeMarked(speech, safeLine(text) + hint, answer?.allowed === false ? 'red' : 'dim')
  }

  return {
    async task(task) {
      speechOf(task.id).title = safeLine(task.title)
      await states.task(task)
    },
    stillRunning: states.stillRunning,
    silent: (task, doing) => states.silent?.(task, doing) ?? Promise.resolve(),
    session: {
      async entries(taskId, entries) {
        for (const entry of entries) await showEntry(taskId, entry)
      },
      async progress(taskId, event: Progress) {
        const speech = speechOf(taskId)
        if (event.type === 'partial') {
          if (event.partial === null) return
          await beginMessage(speech, event.partial.uuid)
          replaceParts(speech, event.partial.parts)
        } else {
          const known = speech.parts[event.part]
          if (known?.type === event.partType) known.text += event.text
          else
            speech.parts.splice(event.part, 0, { type: event.partType, text: event.text, shown: 0 })
        }
        await showNewText(speech)
      },
    },
  }
}

const unattendedHint = 'Allow more with --permissions, or with a rule in the settings.'

/** Not shortened, because a withheld variable may explain a failed command. */
const withheldLine = (names: string[]): string =>
  `Withheld from the agents: ${names.map(safeLine).join(', ')}. Let one through with --env NAME.`

/** Fits into `width` columns. Shows the end of a command's output, which explains failures more often. */
function failureLine(
  { name, output }: Extract<Entry, { type: 'tool-result' }>,
  width: number,
): string {
  if (name !== 'bash') return truncate(`✕ ${safeLine(`${name}: ${output}`)}`, width)
  const lines = terminalText(output).split('\n').map(safeLine).filter(Boolean)
  const ending = lines.findLast(isNote) ?? ''
  const last = lines.findLast((line) => !isNote(line)) ?? ''
  const room = width - (ending === '' ? 0 : textWidth(ending) + 1)
  return truncate([truncate(`✕ bash: ${last}`, room).trimEnd(), ending].join(' ').trimEnd(), width)
}

/** The lines that the bash tool adds below the output (agents/tools/shell/bash.ts). */
const isNote = (line: string): boolean =>
  /^\[(exit code \d+|ended by a signal|(time limit of|what the command left|too large to be kept).+)\]$/.test(
    line,
  )
