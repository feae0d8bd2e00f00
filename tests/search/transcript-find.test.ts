import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openJournal, type RecordBody } from '../../src/main/journal/index.ts'
import { createTranscriptFinder } from '../../src/main/search/transcript/transcript-finder.ts'
import { scanTranscript } from '../../src/main/search/transcript/transcript-scan.ts'
import type { FindEvent } from '../../src/shared/contract/transcripts/find.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { session } from '../fixtures/entries/builder.ts'
import { temporaryDir } from '../harness.ts'

const plain = { matchCase: false, wholeWord: false, isPattern: false }
const everything = { fromSeq: 1, nearSeq: 1, limit: 100, snippets: false }

async function recorded(entries: Entry[]): Promise<string> {
  const file = join(await temporaryDir(), 'chat.jsonl')
  const journal = await openJournal(file)
  for (const { seq: _, ...body } of entries) await journal.append(body as RecordBody)
  await journal.close()
  return file
}

/** All events as one. */
async function all(events: AsyncIterable<FindEvent>): Promise<FindEvent> {
  let last: FindEvent | undefined
  const places: FindEvent['places'] = []
  for await (const event of events) {
    places.push(...event.places)
    last = event
  }
  return { ...(last as FindEvent), places }
}

const transcript = () =>
  session(newTaskId())
    .runStart()
    .prompt('Find the Heron, or two herons')
    .turn([
      { think: 'A heron(1) is a bird.' },
      {
        call: {
          name: 'bash',
          input: { command: 'echo heron' },
          output: '\u001b[31mhe\u001b[0mron\nHERON\n',
        },
      },
      { say: 'No bird\nof that kind.' },
    ])
    .prompt('And the last heron').entries

describe('finding in a transcript', () => {
  it('counts every match in the shown text: case, words, folded white space, colours of a terminal', async () => {
    const file = await recorded(transcript())
    const counts = async (text: string, options: Partial<typeof plain> = {}) => {
      const query = { text, ...plain, ...options }
      const { places, matches } = await all(scanTranscript({ file, query, ...everything }))
      expect(matches).toBe(places.reduce((sum, { count }) => sum + count, 0))
      return places.map(({ seq, kind, count }) => `${seq} ${kind} ${count}`)
    }
    expect(await counts('heron')).toEqual([
      '2 prompt 2',
      '3 call 1',
      '4 output 2',
      '5 reasoning 1',
      '6 prompt 1',
    ])
    expect(await counts('Heron', { matchCase: true })).toEqual(['2 prompt 1'])
    expect(await counts('heron', { wholeWord: true })).toEqual([
      '2 prompt 1',
      '3 call 1',
      '4 output 2',
      '5 reasoning 1',
      '6 prompt 1',
    ])
    expect(await counts('bird of that')).toEqual(['5 message 1'])
    expect(await counts('heron(1)')).toEqual(['5 reasoning 1'])
    expect(await counts('^heron$', { isPattern: true })).toEqual(['4 output 2'])
    expect(await counts('x*', { isPattern: true })).toEqual([])
    expect(await counts('kingfisher')).toEqual([])
  })

  it('starts at the reading position, then searches before it, and continues after an earlier search', async () => {
    const file = await recorded(transcript())
    const found = (more: Partial<typeof everything>) =>
      all(scanTranscript({ file, query: { text: 'heron', ...plain }, ...everything, ...more }))
    const { places, lastSeq, searched } = await found({ nearSeq: 5 })
    expect(places.map(({ seq }) => seq)).toEqual([5, 6, 2, 3, 4])
    expect({ lastSeq, searched }).toEqual({ lastSeq: 6, searched: 6 })
    expect((await found({ fromSeq: 6, nearSeq: 6 })).matches).toBe(1)
    expect(await found({ fromSeq: 7, nearSeq: 7 })).toMatchObject({ matches: 0, done: true })
    const few = await found({ limit: 2 })
    expect(few).toMatchObject({ matches: 7, placeCount: 5, done: true })
    expect(few.places).toHaveLength(2)
  })

  it('names the texts that an expression matched, and the line of a match', async () => {
    const file = await recorded(transcript())
    const query = { ...plain, text: '[hH]er(on)s?', matchCase: true, isPattern: true }
    const { places } = await all(scanTranscript({ file, query, ...everything, snippets: true }))
    expect(places[0]).toMatchObject({
      texts: ['Heron', 'herons'],
      snippet: 'Find the Heron, or two herons',
      marks: [
        [9, 14],
        [23, 29],
      ],
    })
  })

  it('answers from its thread, explains an invalid expression, and ends one that takes exponential time', async () => {
    const file = await recorded(
      session(newTaskId())
        .runStart()
        .prompt('a heron')
        .prompt(`${'a'.repeat(60)}!`).entries,
    )
    const indexFile = join(await temporaryDir(), 'search.db')
    const finderWith = (stalledMs?: number) => {
      const archive = { transcriptFile: async () => file }
      const finder = createTranscriptFinder({ archive, indexFile, stalledMs })
      onTestFinished(() => finder.close())
      return (query: Partial<typeof plain> & { text: string }, signal?: AbortSignal) =>
        finder.find(newTaskId(), { ...everything, query: { ...plain, ...query } }, signal)
    }
    const find = finderWith()
    expect(await all(find({ text: 'heron' }))).toMatchObject({ matches: 1, done: true })
    await expect(all(find({ text: '(a', isPattern: true }))).rejects.toThrow(
      '(a is not a regular expression: unterminated group.',
    )
    await expect(all(finderWith(1)({ text: '(a+)+$', isPattern: true }))).rejects.toThrow(
      'takes too long on a single text',
    )
    const abort = new AbortController()
    const slow = all(find({ text: '(a+)+$', isPattern: true }, abort.signal))
    abort.abort()
    await expect(slow).rejects.toThrow('aborted')
    expect(await all(find({ text: 'heron' }))).toMatchObject({ matches: 1 })
  })

  it('filters in its thread, even if the transcript was moved meanwhile', async () => {
    const file = await recorded(transcript())
    const places = [`${file}.moved-away`, file]
    const finder = createTranscriptFinder({
      archive: { transcriptFile: async () => places.shift() ?? file },
      indexFile: join(await temporaryDir(), 'search.db'),
    })
    onTestFinished(() => finder.close())
    const filter = { kind: 'tools' as const, tool: null, file: null }
    expect(await finder.filter(newTaskId(), filter)).toMatchObject({ seqs: [3, 4], matches: 1 })
    places.push(`${file}.moved-away`)
    const query = { text: 'heron', ...plain }
    expect(await all(finder.find(newTaskId(), { ...everything, query }))).toMatchObject({
      matches: 7,
    })
  })
})
