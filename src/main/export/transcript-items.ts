/** Produces the transcript items for the human-readable formats: redacted, bounded, and final. */
import { createFinalItems } from '../../shared/projections/transcript/final-items.ts'
import type { TranscriptItem } from '../../shared/projections/transcript/transcript-items.ts'
import type { Entry } from '../../shared/records/entries.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { counted } from '../../shared/text/counted.ts'
import { terminalText } from '../../shared/text/terminal-text.ts'
import type { ExportRun } from './export-run.ts'
import { type ExportedRecord, readEntries } from './session-entries.ts'

/** A note that content was omitted or is unreadable, in one sentence. */
export interface LeftOut {
  kind: 'left-out'
  text: string
}

/** Entries are folded in groups, because each fold repeats the turn in progress. */
const groupBytesMax = 1 << 20
const groupEntriesMax = 200

export async function* transcriptItems(
  run: ExportRun,
  task: Task,
): AsyncGenerator<TranscriptItem | LeftOut> {
  const final = createFinalItems()
  const isRoot = task.id === run.rootId
  let group: Entry[] = []
  let bytes = 0
  let outside = 0
  const take = () => {
    const items = final.add(group)
    group = []
    bytes = 0
    return items
  }
  const outsideText = () => `${counted(outside, 'entry', 'entries')} not in this export`
  for await (const read of readEntries(run, task)) {
    if (read.kind === 'withheld' && read.why === 'range') {
      outside++
      continue
    }
    if (outside > 0) yield { kind: 'left-out', text: `${outsideText()}.` }
    outside = 0
    if (read.kind === 'entry') {
      const entry = shownEntry(run, read)
      group.push(entry)
      bytes += read.raw.line.length + (read.wholeOutput?.text.length ?? 0)
      if (bytes >= groupBytesMax || group.length >= groupEntriesMax) yield* take()
      continue
    }
    yield* take()
    yield {
      kind: 'left-out',
      text:
        read.kind === 'unreadable'
          ? `${counted(read.bytes, 'byte')} of the transcript can’t be read here.`
          : `Entry ${read.raw.seq} was left out: this version does not know its type (${read.type}).`,
    }
  }
  yield* take()
  const isWhole = !isRoot || run.request.throughSeq === undefined
  const partial = isWhole ? await run.source.partial(task.id) : null
  const place = { taskId: task.id, seq: null }
  yield* final.end({
    partial: partial && (run.redactor?.value(partial, place) ?? partial),
    live: isRunning(task.status),
  })
  if (outside > 0) yield { kind: 'left-out', text: `${outsideText()}.` }
}

/** Characters of a bounded output: a few screens, from its beginning and its end. */
const outputHeadChars = 3_000
const outputTailChars = 1_000
/** Limit for a text in a tool's input, such as the content of a file. */
const inputCharsMax = 8_000
/**
 * Limits for an entry of another tool, which may hold 50 records (hooks, progress, snapshots). Unlimited, they are most
 * of an imported session's document, and nobody reads them there; the lossless formats have all of them.
 */
const foreignCharsMax = 1_000
const foreignItemsMax = 3

function shownEntry(
  { request }: ExportRun,
  { entry, wholeOutput }: Extract<ExportedRecord, { kind: 'entry' }>,
): Entry {
  const isBounded = request.outputs === 'bounded'
  if (entry.type === 'tool-call')
    return isBounded ? { ...entry, input: withShortTexts(entry.input, inputLimits) } : entry
  if (entry.type === 'foreign')
    return isBounded ? { ...entry, content: withShortTexts(entry.content, foreignLimits) } : entry
  if (entry.type !== 'tool-result') return entry
  const whole = wholeOutput?.text ?? entry.output
  const output = entry.name === 'bash' ? terminalText(whole) : whole
  return { ...entry, output: isBounded ? shortened(output) : output }
}

export function shortened(text: string): string {
  const leftOut = text.length - outputHeadChars - outputTailChars
  if (leftOut <= 0) return text
  const head = text.slice(0, outputHeadChars).toWellFormed()
  const tail = text.slice(-outputTailChars).toWellFormed()
  return `${head}\n[… ${leftOut.toLocaleString('en')} characters left out …]\n${tail}`
}

interface Limits {
  chars: number
  items: number
}
const inputLimits: Limits = { chars: inputCharsMax, items: Number.POSITIVE_INFINITY }
const foreignLimits: Limits = { chars: foreignCharsMax, items: foreignItemsMax }

/** Returns the value with long texts and lists shortened; the end of each says how much was left out. */
function withShortTexts<Value>(value: Value, limits: Limits): Value {
  if (typeof value === 'string') {
    const leftOut = value.length - limits.chars
    if (leftOut <= 0) return value
    const kept = value.slice(0, limits.chars).toWellFormed()
    return `${kept}\n[… ${leftOut.toLocaleString('en')} characters left out]` as Value
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.items).map((item) => withShortTexts(item, limits))
    const leftOut = value.length - kept.length
    return (leftOut === 0 ? kept : [...kept, `[… ${leftOut} more left out]`]) as Value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, item]) => [key, withShortTexts(item, limits)])
  return Object.fromEntries(fields) as Value
}
