/** `shiplog transcripts show`: prints one transcript, live or archived, page by page. */

import { readPages } from '../../../../../shared/async/read-pages.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import { withWholeValues } from '../../../../../shared/contract/transcripts/whole-values.ts'
import {
  type Damage,
  type TranscriptPage,
  transcriptPageEntriesMax,
} from '../../../../../shared/contract/workspace.ts'
import { createTranscriptMarkdown } from '../../../../../shared/projections/transcript/transcript-markdown.ts'
import type { Entry } from '../../../../../shared/records/entries.ts'
import { isRunning } from '../../../../../shared/records/tasks/task-status.ts'
import { wholeOutputOf } from '../../../../../shared/records/whole-output.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { dayOf } from '../../../../../shared/text/format-time.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { safeLine, safeText } from '../../terminal/safe-text.ts'
import { size, statusWording } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { shownEntry } from './shown-entry.ts'

interface ShowOptions extends ParsedOptions {
  from?: number
  limit?: number
  format: 'md' | 'jsonl'
  /** Prints the text as recorded, with escape sequences and whole outputs. */
  raw?: boolean
}

export function show(id: string, given: ParsedOptions): Action {
  const { from = 1, limit, format, raw = false } = given as ShowOptions
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const span = createSpan(from)
      const read = readWholePages(client, id, from, limit ?? Number.POSITIVE_INFINITY)
      const asStored = warningOfExpiry(context, span.watch(read))
      const pages = raw ? withWholeOutputs(client, asStored) : asStored
      const printed = context.json
        ? await printDocument(context, pages)
        : format === 'jsonl'
          ? await printLines(context, pages)
          : await printMarkdown(context, client, pages, raw)
      const left = span.line()
      if (left !== null && !context.json && !context.out.closed) await context.say(left)
      return warnOfDamage(context, printed.damage)
    })
}

/** Yields such entries one at a time, because an output may have 32 MB. */
async function* withWholeOutputs(
  client: ShiplogClient,
  pages: AsyncGenerator<TranscriptPage>,
): AsyncGenerator<TranscriptPage> {
  for await (const page of pages) {
    const { taskId } = page
    if (!page.entries.some(wholeOutputOf)) {
      yield page
      continue
    }
    for (const [index, entry] of page.entries.entries()) {
      const entries = [await withWholeOutput(client, taskId, entry)]
      const isLast = index === page.entries.length - 1
      yield { ...page, entries, partial: isLast ? page.partial : null }
    }
  }
}

async function withWholeOutput(
  client: ShiplogClient,
  taskId: string,
  entry: Entry,
): Promise<Entry> {
  const whole = wholeOutputOf(entry)
  if (!whole || entry.type !== 'tool-result') return entry
  const parts: string[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const query: { taskId: string; sha256: string; offset: number } = {
      taskId,
      sha256: whole.sha256,
      offset,
    }
    const part = await client.workspace.readOutput(query)
    parts.push(part.text)
    offset = part.nextOffset
  }
  if (whole.leftOutBytes > 0) parts.push(`\n[${whole.leftOutBytes} more bytes are not kept]\n`)
  return { ...entry, output: parts.join('') }
}

interface Span {
  watch(pages: AsyncGenerator<TranscriptPage>): AsyncGenerator<TranscriptPage>
  /** Returns which entries were read, and how to continue; null for the whole transcript. */
  line(): string | null
}

/** Records which entries were read, because the Markdown does not show it: a turn has several entries, a title none. */
function createSpan(from: number): Span {
  let [first, last]: (number | null)[] = [null, null]
  let total = 0
  let next: number | null = null
  return {
    async *watch(pages) {
      for await (const page of pages) {
        first ??= page.entries[0]?.seq ?? null
        last = page.entries.at(-1)?.seq ?? last
        total = page.total
        next = page.nextSeq
        yield page
      }
    },
    line() {
      if (first === null || last === null)
        return from > 1 ? `No entries from ${from} on; there are ${total}.` : null
      const more = next === null ? '.' : `; \`--from ${next}\` reads on.`
      if (from === 1 && next === null) return null
      return `${first === last ? `Entry ${first}` : `Entries ${first} to ${last}`} of ${total}${more}`
    },
  }
}

/** Warns that retention removed the transcript, with the command that restores it. */
async function* warningOfExpiry(
  context: CliContext,
  pages: AsyncGenerator<TranscriptPage>,
): AsyncGenerator<TranscriptPage> {
  for await (const page of pages) {
    if (page.expired) {
      const { at, keptUntil, purgedAt, receiptId } = page.expired
      const what = `This transcript expired on ${dayOf(at, context.host.now())}`
      await context.warn(
        purgedAt
          ? `${what}, and was permanently deleted on ${dayOf(purgedAt, context.host.now())}.`
          : `${what}. Until ${dayOf(keptUntil, context.host.now())}, \`shiplog prune --undo ${receiptId.slice(0, 8)}\` restores it.`,
      )
    }
    yield page
  }
}

interface Printed {
  damage: Damage[]
}

/** Reads page by page, so that a long transcript is never in memory as a whole. */
async function* readWholePages(
  client: ShiplogClient,
  taskId: string,
  fromSeq: number,
  limit: number,
): AsyncGenerator<TranscriptPage> {
  let left = limit
  const pages = readPages(fromSeq, (seq) =>
    client.transcripts.page({
      taskId,
      at: { seq },
      limit: Math.min(left, transcriptPageEntriesMax),
      previews: false,
    }),
  )
  for await (const page of pages) {
    yield await withWholeValues(client, page, { bytesMax: Number.POSITIVE_INFINITY })
    left -= page.entries.length
    if (left <= 0) return
  }
}

/** Prints all pages as the one document of `--json`. */
async function printDocument(
  context: CliContext,
  pages: AsyncGenerator<TranscriptPage>,
): Promise<Printed> {
  const entries: Entry[] = []
  const damage = createDamageList()
  let last: TranscriptPage | undefined
  for await (const page of pages) {
    entries.push(...page.entries)
    damage.add(page.damage)
    last = page
  }
  const { values: _, ...page } = last ?? {}
  await context.printJson({ ...page, entries, damage: damage.all })
  return { damage: damage.all }
}

async function printLines(
  context: CliContext,
  pages: AsyncGenerator<TranscriptPage>,
): Promise<Printed> {
  const damage = createDamageList()
  for await (const page of pages) {
    damage.add(page.damage)
    for (const entry of page.entries) await context.printJsonLine(entry)
    if (page.partial)
      await context.say('A turn in progress or interrupted is left out; --format md shows it.')
    if (context.out.closed) break
  }
  return { damage: damage.all }
}

async function printMarkdown(
  context: CliContext,
  client: ShiplogClient,
  pages: AsyncGenerator<TranscriptPage>,
  raw: boolean,
): Promise<Printed> {
  const { out } = context
  const damage = createDamageList()
  const markdown = createTranscriptMarkdown()
  // Also into a pipe, which may lead to a pager on a terminal.
  const print = (text: string) => out.write(raw ? text : safeText(text))
  let heading: Heading | undefined
  let last: TranscriptPage | undefined
  for await (const page of pages) {
    if (!heading) {
      heading = await headingOf(client, page)
      await print(heading.markdown)
    }
    damage.add(page.damage)
    last = page
    await print(markdown.add(raw ? page.entries : page.entries.map(shownEntry)))
    if (out.closed) break
  }
  const ending = { partial: last?.partial, live: heading?.live, cut: last?.nextSeq != null }
  await print(markdown.end(ending))
  return { damage: damage.all }
}

interface Heading {
  markdown: string
  live: boolean
}

async function headingOf(client: ShiplogClient, page: TranscriptPage): Promise<Heading> {
  const { transcripts } = await client.workspace.listTranscripts({})
  const found = transcripts.find((one) => one.taskId === page.taskId)
  const facts = [
    `Task ${page.taskId}`,
    ...(found ? [`agent ${found.agent}`, statusWording[found.status].word] : []),
    counted(page.total, 'entry', 'entries'),
    page.source,
  ]
  return {
    markdown: `# ${safeLine(found?.title ?? 'Transcript')}\n\n${facts.join(' · ')}\n\n`,
    live: found !== undefined && isRunning(found.status),
  }
}

/** Lists each damaged span once, because several pages may contain it. */
function createDamageList(): { all: Damage[]; add(damage: Damage[]): void } {
  const all: Damage[] = []
  const seen = new Set<string>()
  return {
    all,
    add(damage) {
      for (const one of damage) {
        const key = `${one.file}:${one.line}:${one.bytes}`
        if (!seen.has(key)) all.push(one)
        seen.add(key)
      }
    },
  }
}

async function warnOfDamage(context: CliContext, damage: Damage[]): Promise<number> {
  for (const { file, line, bytes, reason } of damage) {
    await context.warn(`${file}:${line} damaged (${reason}); ${size(bytes)} skipped`)
  }
  return damage.length > 0 ? exitCodes.damage : exitCodes.done
}
