import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLedgerStore, type LedgerStore } from '../../../../src/renderer/store/ledger-store.ts'
import { windowEntriesMax } from '../../../../src/renderer/store/transcript/entry-window.ts'
import { pageEntries } from '../../../../src/renderer/store/transcript/page-reader.ts'
import {
  createSessions,
  idleTranscriptsMax,
  type Sessions,
} from '../../../../src/renderer/store/transcript/sessions.ts'
import {
  createTranscriptStore,
  type Target,
  type TranscriptStore,
} from '../../../../src/renderer/store/transcript/transcript-store.ts'
import type { TranscriptItem } from '../../../../src/shared/projections/transcript/transcript-items.ts'
import type { EntryBody } from '../../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../../src/shared/records/ids.ts'
import { createFakeHost, type FakeHost } from '../../../fake-host/fake-host.ts'
import { atOnce, until } from '../../until.ts'

const summary = (text: string): EntryBody => ({ type: 'summary', text })
const summaries = (count: number): EntryBody[] =>
  Array.from({ length: count }, (_, index) => summary(`note ${index + 1}`))

describe('transcript store', () => {
  let host: FakeHost
  let ledger: LedgerStore
  let sessions: Sessions
  let task: TaskId

  beforeEach(async () => {
    host = createFakeHost()
    const project = host.addProject('/home/ada/projects/harbour-lights')
    task = host.start({ projectId: project, title: 'Light the harbour' })
    ledger = createLedgerStore({ client: host.client, schedule: atOnce })
    ledger.open()
    await until(ledger.store, ({ phase }) => phase === 'ready')
    sessions = createSessions({ client: host.client, ledger, schedule: atOnce })
  })
  afterEach(() => {
    sessions.close()
    ledger.close()
  })

  const ready = (transcript: TranscriptStore) =>
    until(transcript.store, ({ phase }) => phase === 'ready')

  it('requests nothing before it is used', () => {
    expect(host.calls.map(({ path }) => path)).toEqual(['feed.ledger'])
  })

  it('streams the message in progress, and shows it once when it is durable', async () => {
    const transcript = sessions.use(task, 'end')
    await ready(transcript)
    const uuid = host.partial(task, [{ type: 'text', text: 'The lamp ' }])
    host.delta(task, 0, 'is ')
    host.delta(task, 0, 'lit.')
    host.delta(task, 1, 'What next?', 'reasoning')
    const live = await until(transcript.store, ({ items }) => lastTurn(items)?.blocks.length === 2)
    expect(lastTurn(live.items)).toMatchObject({
      key: uuid,
      status: 'live',
      blocks: [
        { kind: 'text', text: 'The lamp is lit.' },
        { kind: 'reasoning', text: 'What next?' },
      ],
    })

    host.append(
      task,
      host.message(task, 'assistant', [{ type: 'text', text: 'The lamp is lit.' }], 1, uuid),
    )
    const done = await until(
      transcript.store,
      ({ items }) => lastTurn(items)?.status === 'complete',
    )
    expect(done.items.filter((item) => item.key === uuid)).toHaveLength(1)
  })

  it('shows an unfinished message as cut short once its run has ended', async () => {
    const transcript = sessions.use(task, 'end')
    await ready(transcript)
    host.partial(task, [{ type: 'text', text: 'Half a' }])
    await until(transcript.store, ({ items }) => lastTurn(items)?.status === 'live')
    await host.client.tasks.stop({ taskId: task })
    const { items } = await until(
      transcript.store,
      ({ items }) => lastTurn(items)?.status === 'interrupted',
    )
    expect(lastTurn(items)?.blocks).toEqual([{ kind: 'text', text: 'Half a' }])
  })

  it('loads older entries by pages, and requests none twice', async () => {
    host.append(task, ...summaries(pageEntries * 2))
    const total = host.sessionOf(task).entries.length
    const transcript = sessions.use(task, 'end')
    const first = await ready(transcript)
    expect([first.totalEntries, first.hasOlder, first.items.length]).toEqual([
      total,
      true,
      pageEntries,
    ])

    await Promise.all([transcript.loadOlder(), transcript.loadOlder()])
    await transcript.loadOlder()
    const { items, hasOlder } = transcript.store.getState()
    expect(hasOlder).toBe(false)
    expect(items.map((item) => item.seq)).toEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    )
    const asked = host.calls.filter(({ path }) => path === 'transcripts.page')
    expect(asked.map(({ input }) => input)).toMatchObject([
      { at: { before: 203 }, limit: 200 },
      { at: { before: 3 }, limit: 200 },
    ])
  })

  it('keeps a live window together while older pages are read', async () => {
    host.append(task, ...summaries(pageEntries * 2))
    const transcript = sessions.use(task, 'end')
    await ready(transcript)
    const reading = transcript.loadOlder()
    host.append(task, summary('while reading'))
    await reading
    const { items } = await until(
      transcript.store,
      ({ totalEntries, items }) => totalEntries === items.at(-1)?.seq,
    )
    const seqs = items.map((item) => item.seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + (seqs[0] ?? 0)))
  })

  it('keeps the entries that are being read in a full window, and loads the newest by pages', async () => {
    host.append(task, ...summaries(windowEntriesMax + pageEntries))
    const transcript = sessions.use(task, 'end')
    await ready(transcript)
    const shown = () => transcript.store.getState()
    while (shown().items.length < windowEntriesMax) await transcript.loadOlder()
    const [first] = shown().items
    const known = shown().totalEntries
    host.append(task, ...summaries(3))
    await until(transcript.store, ({ totalEntries }) => totalEntries === known + 3)
    expect(shown().items[0]?.seq).toBe(first?.seq)
    expect(shown().hasNewer).toBe(true)
    await transcript.loadNewer()
    expect([shown().items.at(-1)?.seq, shown().hasNewer]).toEqual([known + 3, false])
  })

  it('shows any entry on request, and loads only the entries around it', async () => {
    host.append(task, ...summaries(pageEntries * 20))
    const transcript = sessions.use(task, 'end')
    await ready(transcript)
    const shown = () => transcript.store.getState()
    await transcript.goTo(1_000, { focus: true })
    expect(shown()).toMatchObject({
      target: { seq: 1_000, focus: true, pointOut: true },
      hasOlder: true,
      hasNewer: true,
      paging: null,
    })
    expect([shown().firstSeq, shown().lastSeq]).toEqual([990, 1_029])
    // Nothing is read for an entry that is loaded.
    const calls = host.calls.length
    const [first] = [shown().target]
    await transcript.goTo(1_000)
    expect(shown().target).not.toBe(first)
    expect(host.calls.length).toBe(calls)
    if (shown().target) transcript.arrived(shown().target as Target)
    expect(shown().target).toBeNull()
    // What is written meanwhile moves nothing.
    host.append(task, summary('written meanwhile'))
    await until(transcript.store, ({ totalEntries }) => totalEntries === pageEntries * 20 + 3)
    expect([shown().firstSeq, shown().lastSeq]).toEqual([990, 1_029])
    await transcript.jumpToEnd()
    expect(shown().items.at(-1)).toMatchObject({ text: 'written meanwhile' })
    await transcript.goTo(9_999_999)
    expect(shown()).toMatchObject({ target: { seq: 9_999_999 }, hasNewer: false })
  })

  it('shows the last of several requested entries, and drops a pending page for it', async () => {
    host.append(task, ...summaries(pageEntries * 20))
    const transcript = sessions.use(task, 'end')
    // Before it is open, too.
    void transcript.goTo(3_000)
    await until(transcript.store, ({ target }) => target?.seq === 3_000)
    const paging = transcript.loadOlder()
    await Promise.all([100, 200, 300, 400].map((seq) => transcript.goTo(seq)))
    await paging
    const { target, firstSeq, lastSeq } = transcript.store.getState()
    expect([target?.seq, firstSeq, lastSeq]).toEqual([400, 390, 429])
    const asked = host.calls.flatMap(({ path, input }) =>
      path === 'transcripts.page' ? [(input as { at: { seq?: number } }).at.seq] : [],
    )
    expect(asked).not.toContain(200)
    expect(asked).not.toContain(300)
  })

  it('drops a page that arrives after a jump', async () => {
    host.append(task, ...summaries(pageEntries * 20))
    const held = Promise.withResolvers<void>()
    const { page } = host.client.transcripts
    const transcript = createTranscriptStore({
      client: {
        feed: host.client.feed,
        transcripts: {
          ...host.client.transcripts,
          page: async (...asked: Parameters<typeof page>) => {
            const read = await page(...asked)
            if (asked[0].limit === pageEntries) await held.promise
            return read
          },
        },
      },
      taskId: task,
      isArchived: () => false,
      isRunning: () => true,
      schedule: atOnce,
    })
    transcript.open(400)
    await ready(transcript)
    const paging = transcript.loadOlder()
    await transcript.goTo(3_000)
    held.resolve()
    await paging
    const { firstSeq, lastSeq } = transcript.store.getState()
    expect([firstSeq, lastSeq]).toEqual([2_990, 3_029])
    transcript.close()
  })

  it('states why an entry could not be read, and keeps the shown entries', async () => {
    host.append(task, ...summaries(pageEntries * 3))
    const page = () => Promise.reject(new Error('the disk is gone'))
    const transcript = createTranscriptStore({
      client: {
        feed: host.client.feed,
        transcripts: { ...host.client.transcripts, page },
      },
      taskId: task,
      isArchived: () => false,
      isRunning: () => true,
      schedule: atOnce,
    })
    transcript.open('end')
    const { items } = await ready(transcript)
    await transcript.goTo(5)
    const shown = transcript.store.getState()
    transcript.close()
    expect(shown.pageProblem?.details).toContain('read these entries')
    expect(shown).toMatchObject({ items, paging: null, target: null })
  })

  it('keeps a position for each of two views of a task', async () => {
    host.append(task, ...summaries(pageEntries * 3))
    const below = sessions.use(task, 'end')
    const over = sessions.use(task, 10)
    await Promise.all([ready(below), ready(over)])
    expect(below).not.toBe(over)
    expect([below.store.getState().lastSeq, over.store.getState().lastSeq]).toEqual([602, 39])
    sessions.release(over)
    // Shown again, it is moved to where it is asked for.
    const again = sessions.use(task, 300)
    expect(again).toBe(over)
    await until(again.store, ({ target }) => target?.seq === 300)
  })

  it('replays an archived one from its beginning, page after page, without a feed', async () => {
    host.append(task, ...summaries(pageEntries + 50))
    host.archive(task)
    await until(ledger.store, ({ ledger }) => ledger.tasks.get(task)?.archived === true)
    const transcript = sessions.use(task, 'start')
    const first = await ready(transcript)
    expect([first.source, first.hasOlder, first.hasNewer]).toEqual(['archived', false, true])
    await transcript.loadNewer()
    const { items, hasNewer, totalEntries } = transcript.store.getState()
    expect([items.length, hasNewer]).toEqual([totalEntries, false])
    expect(host.calls.some(({ path }) => path === 'feed.session')).toBe(false)
  })

  it('shows the end for an entry that does not exist', async () => {
    host.append(task, ...summaries(pageEntries * 3))
    const { hasNewer, hasOlder, items } = await ready(sessions.use(task, 9_999_999))
    expect([hasNewer, hasOlder]).toEqual([false, true])
    expect(items.at(-1)).toMatchObject({ text: `note ${pageEntries * 3}` })
  })

  it('is read by pages if the session is archived while its feed is asked for', async () => {
    host.append(task, summary('the last word'))
    let isArchived = false
    const transcript = createTranscriptStore({
      client: {
        transcripts: host.client.transcripts,
        feed: {
          ...host.client.feed,
          session: () => {
            isArchived = true
            return Promise.reject(new Error('there is no feed'))
          },
        },
      },
      taskId: task,
      isArchived: () => isArchived,
      isRunning: () => false,
      schedule: atOnce,
    })
    transcript.open('end')
    const { phase, items } = await until(transcript.store, (view) => view.phase !== 'loading')
    transcript.close()
    expect(phase).toBe('ready')
    expect(items.at(-1)).toMatchObject({ text: 'the last word' })
  })

  it('continues answering when the session is archived under the reader', async () => {
    const transcript = sessions.use(task, 'end')
    await ready(transcript)
    host.append(task, summary('the last word'))
    host.archive(task)
    const { items } = await until(transcript.store, ({ source }) => source === 'archived')
    expect(items.at(-1)).toMatchObject({ kind: 'summary', text: 'the last word' })
    await expect.poll(() => host.listeners().sessions).toBe(0)
  })

  it('merges an unfinished message into an archived transcript', async () => {
    host.partial(task, [{ type: 'text', text: 'cut off he' }])
    host.archive(task)
    await until(ledger.store, ({ ledger }) => ledger.tasks.get(task)?.archived === true)
    const { items } = await ready(sessions.use(task, 'start'))
    expect(lastTurn(items)).toMatchObject({
      status: 'interrupted',
      blocks: [{ kind: 'text', text: 'cut off he' }],
    })
  })

  it('states what failed, and opens on the next use', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000' as TaskId
    const transcript = sessions.use(unknown, 'end')
    const { problem } = await until(transcript.store, ({ phase }) => phase === 'failed')
    expect(problem).toMatchObject({ code: 'NOT_FOUND' })
    expect(problem?.details).toContain('read the transcript')
  })

  it('closes transcripts that were not shown for a while, and none that is shown', async () => {
    const project = host.addProject('/home/ada/projects/second')
    const shown = sessions.use(task, 'end')
    const others = Array.from({ length: idleTranscriptsMax + 3 }, (_, index) =>
      host.start({ projectId: project, title: `Task ${index}` }),
    )
    for (const other of others) {
      const transcript = sessions.use(other, 'end')
      await ready(transcript)
      sessions.release(transcript)
    }
    await expect.poll(() => host.listeners().sessions).toBe(idleTranscriptsMax + 1)
    host.append(task, summary('still here'))
    const { items } = await until(shown.store, ({ items }) => items.at(-1)?.kind === 'summary')
    expect(items.length).toBeGreaterThan(0)
    sessions.close()
    await expect.poll(() => host.listeners().sessions).toBe(0)
  })
})

function lastTurn(items: TranscriptItem[]) {
  return items.findLast((item) => item.kind === 'turn')
}
