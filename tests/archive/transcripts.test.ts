import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTranscriptPage } from '../../src/main/archive/transcript-page.ts'
import { createTranscripts, type PagePlace } from '../../src/main/archive/transcripts.ts'
import { openJournal, type PageQuery, type RecordBody } from '../../src/main/journal/index.ts'
import { earlierStatesEvery } from '../../src/main/sessions/earlier-states.ts'
import { openSession } from '../../src/main/sessions/session.ts'
import { readEarlierState } from '../../src/main/sessions/session-state.ts'
import type { OutlineItem } from '../../src/shared/contract/transcripts/transcripts.ts'
import { withWholeValues } from '../../src/shared/contract/transcripts/whole-values.ts'
import { type TranscriptPage, transcriptPageBytesMax } from '../../src/shared/contract/workspace.ts'
import { emptyTimelineOf, withPage } from '../../src/shared/projections/replay/replay-state.ts'
import { foldSessionState } from '../../src/shared/projections/session/fold-session.ts'
import { emptySessionState } from '../../src/shared/projections/session/session-state.ts'
import { transcriptStateOf } from '../../src/shared/projections/transcript/transcript-state.ts'
import type { Entry, EntryBody } from '../../src/shared/records/entries.ts'
import { newTaskId, runIdOf, type TaskId } from '../../src/shared/records/ids.ts'
import { type SessionBuilder, session } from '../fixtures/entries/builder.ts'
import { temporaryDir } from '../harness.ts'
import fc from '../random.ts'
import { randomHistory } from '../shared/projections/random-history.ts'

const taskId = newTaskId()

/** A transcript of these entries on disk, and who reads it. */
async function written(entries: Entry[]) {
  const dir = await temporaryDir()
  const journal = await openJournal(join(dir, 'chat.jsonl'))
  for (const { seq: _, ...body } of entries) await journal.append(body as RecordBody)
  await journal.close()
  const transcripts = createTranscripts({
    transcriptPage: async (id: TaskId, query: PageQuery): Promise<TranscriptPage> => ({
      taskId: id,
      source: 'archived',
      ...(await readTranscriptPage(dir, query)),
    }),
    earlierState: async () => null,
  })
  const client = {
    transcripts: {
      value: (input: {
        seq: number
        at: (string | number)[]
        offset?: number
        bytesMax?: number
      }) => transcripts.value(taskId, { offset: 0, bytesMax: 100_000, ...input }),
    },
  } as unknown as Parameters<typeof withWholeValues>[0]
  const whole = (page: TranscriptPage) =>
    withWholeValues(client, page, { bytesMax: Number.POSITIVE_INFINITY })
  return { ...transcripts, whole }
}

type Reader = Awaited<ReturnType<typeof written>>

const bytesOf = (entries: Entry[]) => Buffer.byteLength(JSON.stringify(entries))
/** Bytes around the items of a JSON array: commas and brackets. */
const slackBytes = 1_000

async function pagesForward(reader: Reader, query: { limit: number; previews: boolean }) {
  const pages: TranscriptPage[] = []
  for (let at: PagePlace | null = 'start'; at !== null; ) {
    const page: TranscriptPage = await reader.page(taskId, { at, ...query })
    pages.push(page)
    at = page.nextSeq === null ? null : { seq: page.nextSeq }
  }
  return pages
}

const print = (output: string) => ({ call: { name: 'bash', input: { command: 'print' }, output } })

/** 60 turns of 130 KB each, one of which prints 3 MB, which the journal keeps outside of its record. */
function heavy(): SessionBuilder {
  const builder = session(taskId).runStart().prompt('Print')
  for (let n = 1; n <= 60; n++) {
    const long = n === 30 ? `${'é'.repeat(1_500_000)}\n` : `${String(n).repeat(65_000)}\n`
    builder.turn([{ say: `Turn ${n}` }, print(long)])
  }
  return builder.runEnd()
}

describe('a page', () => {
  it.each([
    { previews: true, limit: 500 },
    { previews: false, limit: 500 },
    { previews: true, limit: 7 },
  ])('never carries more than its bound, and all pages together everything: %o', async (query) => {
    const { entries } = heavy()
    const reader = await written(entries)
    const pages = await pagesForward(reader, query)
    for (const page of pages)
      expect(bytesOf(page.entries)).toBeLessThan(transcriptPageBytesMax + slackBytes)
    expect(pages.flatMap((page) => page.entries.map(({ seq }) => seq))).toEqual(
      entries.map(({ seq }) => seq),
    )
    const whole = await Promise.all(pages.map(reader.whole))
    expect(whole.flatMap((page) => page.entries.map(outputOf))).toEqual(entries.map(outputOf))
    if (query.previews)
      expect(pages.length).toBeLessThanOrEqual(Math.ceil(entries.length / query.limit) + 1)
  })

  it('of the end keeps the newest, and the pages before it join on', async () => {
    const { entries } = heavy()
    const reader = await written(entries)
    const seqs: number[] = []
    let at: PagePlace = 'end'
    for (;;) {
      const page: TranscriptPage = await reader.page(taskId, { at, limit: 500, previews: false })
      const [first] = page.entries
      if (!first) break
      expect(bytesOf(page.entries)).toBeLessThan(transcriptPageBytesMax + slackBytes)
      seqs.unshift(...page.entries.map(({ seq }) => seq))
      at = { before: first.seq }
    }
    expect(seqs).toEqual(entries.map(({ seq }) => seq))
  })

  it('has with each preview the length and the position of its text', async () => {
    const { entries } = heavy()
    const reader = await written(entries)
    const at = entries.find((entry) => outputOf(entry)?.startsWith('é'))
    const page = await reader.page(taskId, { at: { seq: at?.seq ?? 0 }, limit: 1, previews: true })
    expect(page.values).toEqual([{ seq: at?.seq, at: ['output'], bytes: 3_000_001 }])
    expect(outputOf(page.entries[0])).toBe('é'.repeat(2_000))
    const part = await reader.value(taskId, {
      seq: at?.seq ?? 0,
      at: ['output'],
      offset: 2,
      bytesMax: 10,
    })
    expect(part).toMatchObject({ total: 3_000_001, nextOffset: 12 })
    await expect(
      reader.value(taskId, { seq: at?.seq ?? 0, at: ['no', 'such'], offset: 0, bytesMax: 10 }),
    ).rejects.toMatchObject({ failure: { kind: 'not-found', what: 'value' } })
  })

  it('has a stub for an entry of very many short texts, which is fetched whole', async () => {
    const input = Array.from({ length: 60_000 }, (_, n) => `line ${n} of very many`)
    const { entries } = session(taskId).turn([{ call: { name: 'odd', input } }])
    const reader = await written(entries)
    const page = await reader.page(taskId, { at: 'start', limit: 1, previews: true })
    expect(page.entries).toMatchObject([{ type: 'unknown', seq: 1, originalType: 'tool-call' }])
    expect(page.values).toMatchObject([{ seq: 1, at: [] }])
    expect((await reader.whole(page)).entries).toMatchObject([{ type: 'tool-call', input }])
  })

  it('begins at a turn, wherever it is', async () => {
    const { entries } = heavy()
    const reader = await written(entries)
    for (const turn of [1, 17, 60]) {
      const page = await reader.page(taskId, { at: { turn }, limit: 3, previews: true })
      const first = entries.find((entry) => 'turn' in entry && entry.turn === turn)
      expect(page.entries[0]?.seq, `turn ${turn}`).toBe(first?.seq)
    }
    await expect(
      reader.page(taskId, { at: { turn: 61 }, limit: 3, previews: true }),
    ).rejects.toMatchObject({ failure: { kind: 'not-found', what: 'turn', id: '61' } })
  })

  it('begins at a turn beside a late snapshot of another, and at no turn that is missing', async () => {
    const [snapshot] = session(taskId).add({
      type: 'workspace-snapshot',
      runId: runIdOf(taskId, 1),
      turn: 1,
      head: null,
      branch: 'main',
      tree: 'a'.repeat(40),
      changed: [],
      changedMore: 0,
    }).entries
    const [first, call, result, second, , , , fourth] = session(taskId)
      .turn([{ say: 'First.' }])
      .turn([print('a')])
      .turn([print('b')])
      .turn([{ say: 'Fourth.' }]).entries as Entry[]
    const entries = [first, call, snapshot, result, second, fourth].flatMap((one) => one ?? [])
    const reader = await written(entries)
    const page = await reader.page(taskId, { at: { turn: 2 }, limit: 1, previews: true })
    expect(page.entries).toMatchObject([{ type: 'tool-call', seq: 2 }])
    await expect(
      reader.page(taskId, { at: { turn: 3 }, limit: 1, previews: true }),
    ).rejects.toMatchObject({ failure: { kind: 'not-found', what: 'turn', id: '3' } })
    // All of the second, and nothing of the fourth.
    expect(await reader.rangeOfTurns(taskId, { fromTurn: 2, throughTurn: 2 })).toEqual({
      fromSeq: 2,
      throughSeq: 5,
    })
  })
})

const outputOf = (entry: Entry | undefined) =>
  entry?.type === 'tool-result' ? entry.output : undefined

describe('the outline', () => {
  it('has prompts, turns with their calls, and runs', async () => {
    const failing = { call: { name: 'bash', input: {}, outcome: 'error' as const, output: '' } }
    const builder = session(taskId)
      .runStart()
      .prompt('  Do\nit ')
      .turn([{ think: 'Well.' }, { say: 'First.' }, print('a'), failing])
      .runEnd('interrupted')
      .runStart('resume')
    builder.liveTurn([print('b')])
    const { entries } = builder.runEnd()
    const { items, nextSeq } = await (await written(entries)).outline(taskId, {
      fromSeq: 1,
      limit: 99,
    })
    expect(nextSeq).toBeNull()
    expect(items).toMatchObject([
      { kind: 'run', run: 1, reason: 'prompt' },
      { kind: 'prompt', text: 'Do it' },
      { kind: 'turn', turn: 1, calls: 2, failedCalls: 1, status: 'complete', text: 'First.' },
      { kind: 'run-end', run: 1, status: 'interrupted' },
      { kind: 'run', run: 2, reason: 'resume' },
      { kind: 'turn', turn: 2, calls: 1, status: 'interrupted', text: '' },
      { kind: 'run-end', run: 2, status: 'completed' },
    ])
    for (const item of items) expect(entries[item.seq - 1]).toBeDefined()
  })

  it('is the same in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('turn', 'live', 'prompt', 'run'), { maxLength: 12 }),
        async (steps) => {
          const builder = session(taskId).runStart()
          for (const step of steps) {
            if (step === 'turn') builder.turn([{ say: 'Said.' }, print('a'), print('b')])
            else if (step === 'live') builder.liveTurn([print('c'), print('d')])
            else if (step === 'prompt') builder.prompt('More')
            else builder.runEnd('interrupted').runStart('resume')
          }
          const reader = await written(builder.entries)
          const { items: whole } = await reader.outline(taskId, { fromSeq: 1, limit: 500 })
          for (const limit of [1, 2, 5]) {
            const items: OutlineItem[] = []
            for (let fromSeq: number | null = 1; fromSeq !== null; ) {
              const page: { items: OutlineItem[]; nextSeq: number | null } = await reader.outline(
                taskId,
                { fromSeq, limit },
              )
              expect(page.items.length).toBeLessThanOrEqual(limit)
              items.push(...page.items)
              fromSeq = page.nextSeq
            }
            expect(items).toEqual(whole)
          }
        },
      ),
      { numRuns: 15, seed: 20261122 },
    )
  })
})

it('returns the timeline in bounded pages without gaps, and continues with what a live one has added', async () => {
  const builder = session(taskId).runStart().prompt('Print')
  for (let n = 1; n <= 30; n++) builder.turn([{ say: `Turn ${n}` }, print('x')])
  const { entries } = builder
  const reader = await written(entries)
  const whole = await reader.timeline(taskId, { fromSeq: 1, limit: 5_000 })
  expect(whole).toMatchObject({ nextSeq: entries.length + 1, total: entries.length, open: [] })
  expect(await reader.timeline(taskId, { fromSeq: whole.nextSeq, limit: 5 })).toEqual({
    marks: [],
    open: [],
    nextSeq: whole.nextSeq,
    total: entries.length,
  })
  let timeline = emptyTimelineOf()
  while (timeline.nextSeq <= entries.length) {
    const page = await reader.timeline(taskId, { fromSeq: timeline.nextSeq, limit: 7 })
    expect(page.marks.length).toBeLessThanOrEqual(8)
    timeline = withPage(timeline, page)
  }
  const withoutPlaces = whole.marks.filter(({ kind }) => kind !== 'place')
  expect(timeline.marks.filter(({ kind }) => kind !== 'place')).toEqual(
    withoutPlaces.map((mark) => expect.objectContaining({ kind: mark.kind, seq: mark.seq })),
  )
})

it('knows the state as of any entry', async () => {
  const { entries } = session(taskId)
    .runStart()
    .prompt('Go')
    .turn([{ say: 'On main.' }])
    .branch('topic')
    .turn([{ say: 'On topic.' }])
    .runEnd()
  const reader = await written(entries)
  expect(await reader.stateAt(taskId, 0)).toMatchObject({
    seq: 0,
    at: null,
    directory: null,
    turns: 0,
  })
  const messages = entries.filter((entry) => entry.type === 'message')
  for (const [turns, message] of messages.entries())
    expect(await reader.stateAt(taskId, message.seq)).toMatchObject({
      seq: message.seq,
      at: message.at,
      directory: '/home/robin/api',
      branch: turns < 2 ? 'main' : 'topic',
      run: 1,
      turns,
    })
})

it('[G9] folds the state as of any entry from a stored one before it', async () => {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  const open = await openSession(taskId, dir, () => undefined)
  await open.state()
  const history = fc.sample(randomHistory, { seed: 20261123, numRuns: 500 }).flat()
  await open.append(
    ...history.map(({ seq: _, uuid: __, parentUuid: ___, ...body }) => body as EntryBody),
  )
  const entries = await Array.fromAsync(open.entries())
  await open.close()
  let entriesRead = 0
  const transcripts = createTranscripts({
    transcriptPage: async (id, query) => {
      const page = await readTranscriptPage(dir, query)
      entriesRead += page.entries.length
      return { taskId: id, source: 'archived', ...page }
    },
    earlierState: (_, seq) => readEarlierState(dir, seq),
  })
  const total = entries.length
  expect(total).toBeGreaterThan(3 * earlierStatesEvery)
  for (const seq of [
    1,
    total,
    ...fc.sample(fc.integer({ min: 1, max: total }), { seed: 9, numRuns: 40 }),
  ]) {
    const whole = entries.slice(0, seq).reduce(foldSessionState, emptySessionState())
    entriesRead = 0
    expect(await transcripts.stateAt(taskId, seq)).toEqual(transcriptStateOf(whole))
    expect(entriesRead).toBeLessThan(2 * earlierStatesEvery)
  }
})
