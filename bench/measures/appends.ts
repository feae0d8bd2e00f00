/**
 * Measures durable appends: the journal's overhead over writing the same bytes directly, and the gain of shared syncs.
 */
import { type FileHandle, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Journal, openJournal, type RecordBody } from '../../src/main/journal/index.ts'
import { createGenerator, generatedAtMs } from '../data/generate.ts'
import type { Bench } from '../runner/bench.ts'
import { find, interleave, judge, type Measured } from '../runner/rounds.ts'

/** Each of many writers appends a fifth of the single writer's records, so that no side ends before it is warm. */
const manyWritersShare = 5
/** The speed of a disk varies over time, so the sides alternate this often in a round. */
const slices = 25
/** Rounds until the code is compiled. */
const warmUps = 1

/** A writer's records, grouped by the slice in which they are written. */
type Slices<T> = T[][]

export async function measureAppends(bench: Bench): Promise<Measured> {
  const { sizes, seed } = bench
  const { message } = createGenerator(seed)
  const one = Array.from({ length: sizes.appends }, () => message(sizes.recordBytes))
  const each = one.slice(0, Math.ceil(sizes.appends / manyWritersShare))
  const oneWriter = [inSlices(one)]
  const manyWriters = Array.from({ length: sizes.writers }, () => inSlices(each))
  const lines = await linesOf(join(bench.dir, 'lines'), one)
  const oneWritersLines = [inSlices(lines)]
  const manyWritersLines = manyWriters.map(() => inSlices(lines.slice(0, each.length)))

  const rounds = []
  for (let n = 0; n < warmUps + bench.rounds; n++) {
    const dir = join(bench.dir, String(n))
    await mkdir(dir)
    const journal = await inJournal(join(dir, 'one'), oneWriter)
    const manyJournal = await inJournal(join(dir, 'many'), manyWriters)
    const raw = await bare(join(dir, 'one.bare'), oneWritersLines)
    const manyRaw = await bare(join(dir, 'many.bare'), manyWritersLines)
    const ms = await interleave(
      {
        journal: journal.slice,
        raw: raw.slice,
        manyJournal: manyJournal.slice,
        manyRaw: manyRaw.slice,
      },
      slices,
    )
    for (const one of [journal, raw, manyJournal, manyRaw]) await one.close()
    // The files differ only in salts and checksums, so their sizes must be equal.
    if ((await stat(journal.file)).size !== (await stat(raw.file)).size)
      throw new Error('the journal holds more or fewer bytes than those that were written bare')
    await rm(dir, { recursive: true })
    if (n < warmUps) continue
    rounds.push({
      journal: (1000 * journal.records) / ms.journal,
      raw: (1000 * raw.records) / ms.raw,
      manyJournal: (1000 * manyJournal.records) / ms.manyJournal,
      manyRaw: (1000 * manyRaw.records) / ms.manyRaw,
    })
  }

  const perSecond = find(rounds, '/s', {
    'one writer, journal': ({ journal }) => journal,
    'one writer, bare write+datasync': ({ raw }) => raw,
    'many writers, one journal': ({ manyJournal }) => manyJournal,
    'many writers, bare, one file': ({ manyRaw }) => manyRaw,
  })
  const ratios = find(rounds, 'x', {
    'one writer: time in the journal over time bare': ({ journal, raw }) => raw / journal,
    'many writers over one, in a journal': ({ manyJournal, journal }) => manyJournal / journal,
    'many writers: records in the journal over bare': (many) => many.manyJournal / many.manyRaw,
  })
  return {
    title: `Durable appends of ${Math.round(averageBytes(lines))} bytes, by one writer and by ${sizes.writers}`,
    rounds: rounds.length,
    figures: Object.values(perSecond),
    ratios: Object.values(ratios),
    verdicts: [
      judge(ratios['one writer: time in the journal over time bare'], { atMost: 1.5 }),
      judge(ratios['many writers over one, in a journal'], { atLeast: 3 }),
    ],
    notes: ['Each writer waits for its record to be durable before it makes the next.'],
  }
}

interface Side {
  file: string
  records: number
  /** Appends the records of one slice, all writers concurrently. */
  slice(n: number): Promise<unknown>
  close(): Promise<void>
}

async function inJournal(dir: string, writers: Slices<RecordBody>[]): Promise<Side> {
  const file = join(dir, 'chat.jsonl')
  const journal = await openJournal(file, { clock: () => generatedAtMs })
  const write = async (bodies: RecordBody[]) => {
    for (const body of bodies) await journal.append(body)
  }
  return side(file, journal, writers, write)
}

/** Baseline: writes and syncs each line separately. */
async function bare(file: string, writers: Slices<Buffer>[]): Promise<Side> {
  const handle = await open(file, 'a')
  const write = async (lines: Buffer[]) => {
    for (const line of lines) {
      await handle.write(line)
      await handle.datasync()
    }
  }
  return side(file, handle, writers, write)
}

function side<T>(
  file: string,
  opened: Journal | FileHandle,
  writers: Slices<T>[],
  write: (slice: T[]) => Promise<void>,
): Side {
  return {
    file,
    records: writers.flat(2).length,
    slice: (n) => Promise.all(writers.map((writer) => write(writer[n] ?? []))),
    close: () => opened.close(),
  }
}

/** Returns the lines that a journal writes for these records. */
async function linesOf(dir: string, bodies: readonly RecordBody[]): Promise<Buffer[]> {
  const file = join(dir, 'chat.jsonl')
  const journal = await openJournal(file, { clock: () => generatedAtMs })
  await journal.appendAll(bodies)
  await journal.close()
  const bytes = await readFile(file)
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

function inSlices<T>(all: readonly T[]): Slices<T> {
  const size = Math.ceil(all.length / slices)
  return Array.from({ length: slices }, (_, n) => all.slice(n * size, (n + 1) * size))
}

function averageBytes(lines: readonly Buffer[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0) / lines.length
}
