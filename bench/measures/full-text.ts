/**
 * Measures full-text search over a million entries: building the index, querying it, and recording while it is built.
 */
import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openJournal } from '../../src/main/journal/index.ts'
import { find as findInIndex } from '../../src/main/search/index/find.ts'
import { openIndexDb } from '../../src/main/search/index/index-file.ts'
import { startIndexThread } from '../../src/main/search/index/index-thread.ts'
import { indexSession } from '../../src/main/search/index/session-indexer.ts'
import { parseQuery } from '../../src/main/search/query/query.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { createGenerator, generatedAtMs } from '../data/generate.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { alternate, find, interleave, judge, type Measured, timed } from '../runner/rounds.ts'

/** The targets. */
const firstPageMsMax = 50
const overParsingMax = 4
const appendsMax = 1.1

const entriesOfSession = 10_000
const batchRecords = 500
const entryBytes = 900
const hitsOfPage = 20

interface Transcript {
  taskId: TaskId
  title: string
  createdAt: number
  file: string
  report: null
}

export async function measureFullText(bench: Bench): Promise<Measured> {
  const { dir, sizes, rounds } = bench
  const transcripts = await makeTranscripts(bench)
  bench.say('building the index')
  const db = await openIndexDb(join(dir, 'search.db'))
  const building = await interleave(
    {
      parsed: (n) => parse(transcripts[n]?.file ?? ''),
      async indexed(n) {
        if (transcripts[n]) await indexSession(db, transcripts[n])
        if (n === transcripts.length - 1) db.commit()
      },
    },
    transcripts.length,
  )
  bench.say('asking it')
  const vocabulary = db.vocabulary()
  const queries = questions(bench)
  const ask = (text: string) =>
    timed(async () => {
      const query = parseQuery(text, generatedAtMs)
      const found = findInIndex(db, vocabulary, {
        query,
        taskIds: null,
        limit: hitsOfPage,
        sort: 'best',
        nowMs: generatedAtMs,
      })
      if (found.hits.length === 0) throw new Error(`nothing was found for ${text}`)
    })
  for (const text of queries) await ask(text)
  const asked: { p95: number; longest: number }[] = []
  for (let n = 0; n < rounds; n++) {
    const took = []
    for (const text of queries) took.push(await ask(text))
    took.sort((a, b) => a - b)
    asked.push({ p95: took[Math.floor(took.length * 0.95)] ?? 0, longest: took.at(-1) ?? 0 })
  }
  db.close()
  bench.say('recording while an index is built')
  const recording = await alternate(
    {
      alone: async () => ({ ms: await appends(bench) }),
      beside: async () => ({ ms: await besideIndexing(bench, transcripts) }),
    },
    { rounds },
  )

  const ms = find(asked, 'ms', {
    'first page, 95 % of the questions': ({ p95 }) => p95,
    'first page, the longest': ({ longest }) => longest,
  })
  const ratios = find([building], 'x', {
    'building the index over reading and parsing': ({ indexed, parsed }) => indexed / parsed,
  })
  const append = find(recording, 'x', {
    'appends while an index is built over appends alone': ({ beside, alone }) =>
      beside.ms / alone.ms,
  })
  const judged = sizes.searchedEntries >= fullSizes.searchedEntries
  return {
    title: `Full-text search over ${sizes.searchedEntries} entries in ${transcripts.length} transcripts`,
    rounds,
    figures: Object.values(ms),
    ratios: [...Object.values(ratios), ...Object.values(append)],
    verdicts: judged
      ? [
          judge(ms['first page, 95 % of the questions'], { atMost: firstPageMsMax }),
          judge(ratios['building the index over reading and parsing'], { atMost: overParsingMax }),
          judge(append['appends while an index is built over appends alone'], {
            atMost: appendsMax,
          }),
        ]
      : [],
    notes: [
      `${queries.length} questions: common and rare words, two words, phrases, beginnings and parts of words, filters.`,
      ...(judged ? [] : [notJudged]),
    ],
  }
}

/** Identifiers as in code: compound words, many of them rare. */
const stems =
  'anchor bearing capstan draught fathom galley halyard island jetty keel lantern mast oar pilot quay rudder sextant tide voyage wind yard parse read write load find merge split index'.split(
    ' ',
  )
const upper = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`

function makeText(below: (bound: number) => number, words: number): string {
  const stem = () => stems[below(stems.length)] ?? ''
  return Array.from({ length: words }, () => {
    const kind = below(10)
    if (kind < 5) return stem()
    if (kind < 9) return `${stem()}${upper(stem())}${upper(stem())}`
    return `${stem()}_${below(1_000_000)}`
  }).join(' ')
}

async function makeTranscripts(bench: Bench): Promise<Transcript[]> {
  const { dir, seed, sizes } = bench
  bench.say(`making transcripts of ${sizes.searchedEntries} entries`)
  const made = createGenerator(seed)
  const transcripts: Transcript[] = []
  for (let left = sizes.searchedEntries; left > 0; left -= entriesOfSession) {
    const taskId = newTaskId()
    const file = join(dir, taskId, 'chat.jsonl')
    await mkdir(join(dir, taskId))
    let at = generatedAtMs - left * 1_000
    const journal = await openJournal(file, { clock: () => at++ })
    for (let n = 0; n < Math.min(left, entriesOfSession); n += batchRecords)
      await journal.appendAll(
        Array.from({ length: Math.min(batchRecords, left - n) }, () => {
          const body = made.message(entryBytes)
          // Adds the fields that the session writer adds.
          return {
            ...body,
            parentUuid: null,
            parts: [{ type: 'text', text: makeText(made.below, 30) }],
          }
        }),
      )
    await journal.close()
    transcripts.push({ taskId, title: 'A task', createdAt: generatedAtMs, file, report: null })
  }
  return transcripts
}

async function parse(file: string): Promise<void> {
  let records = 0
  for await (const line of createInterface({ input: createReadStream(file) }))
    if ((JSON.parse(line) as { seq: number }).seq > 0) records++
  if (records === 0) throw new Error(`${file} is empty`)
}

function questions({ seed }: Bench): string[] {
  const { below } = createGenerator(seed + 1)
  const stem = () => stems[below(stems.length)] ?? ''
  const pair = () => `${stem()}${upper(stem())}`
  return Array.from({ length: 10 }, () => [
    stem(),
    `${stem()} ${stem()}`,
    `${stem()} ${pair()}`,
    pair(),
    `${upper(stem())}${upper(stem())}`.slice(1),
    stem().slice(0, 3),
    `${stem()} kind:message`,
    `-${stem()} ${stem()} after:2026`,
  ]).flat()
}

/** `onAppended` is called for each entry, as sessions notify the index. */
async function appends({ dir, sizes, seed }: Bench, onAppended = () => {}): Promise<number> {
  const place = join(dir, 'appends')
  await mkdir(place)
  const { message } = createGenerator(seed)
  const body = message(sizes.recordBytes)
  const journal = await openJournal(join(place, 'chat.jsonl'))
  const ms = await timed(async () => {
    for (let n = 0; n < sizes.appends; n++) {
      await journal.append(body)
      onAppended()
    }
  })
  await journal.close()
  await rm(place, { recursive: true })
  return ms
}

async function besideIndexing(bench: Bench, transcripts: readonly Transcript[]): Promise<number> {
  const file = join(bench.dir, 'beside.db')
  const thread = startIndexThread(file)
  let isOver = false
  const indexing = (async () => {
    for (let n = 0; !isOver; n = (n + 1) % transcripts.length) {
      const transcript = transcripts[n]
      if (!transcript) return
      await thread.calls.remove({ taskId: transcript.taskId })
      await thread.calls.index(transcript)
    }
  })()
  try {
    return await appends(bench, thread.noteRecorded)
  } finally {
    isOver = true
    await indexing
    await thread.close()
    for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
  }
}
