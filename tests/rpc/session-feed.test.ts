/** The session feed against stand-ins, so that news comes exactly while it catches up. */
import { expect, it } from 'vitest'
import { sessionFeed } from '../../src/main/rpc/session-feed.ts'
import type { Session, SessionEvent } from '../../src/main/sessions/session.ts'
import type { SessionFeedEvent } from '../../src/shared/contract/feed.ts'
import type { TranscriptPage } from '../../src/shared/contract/workspace.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { PartialMessage } from '../../src/shared/records/entry-types/messages.ts'
import { newTaskId, type ToolCallId } from '../../src/shared/records/ids.ts'

const id = newTaskId()
const entry = (seq: number) => ({ seq, type: 'title', title: String(seq) }) as Entry
const saying = (text: string) => ({ parts: [{ type: 'text', text }] }) as unknown as PartialMessage
const delta = (text: string): SessionEvent => ({ type: 'delta', part: 0, partType: 'text', text })

/** `meanwhile`: what happens while the first page is read. */
function openFeed(options: {
  lastEventId?: string
  source?: TranscriptPage['source']
  entries?: Entry[]
  partial?: PartialMessage
  meanwhile?: SessionEvent[]
}) {
  let listener: ((event: SessionEvent) => void) | null = null
  const printed = new Map<string, { callId: string; output: string }>()
  const abort = new AbortController()
  const sessions = {
    subscribe(_: unknown, added: (event: SessionEvent) => void) {
      listener = added
      return () => {
        listener = null
      }
    },
    current: () =>
      ({ partial: options.partial ?? null, running: [...printed.values()] }) as unknown as Session,
  }
  const records = {
    async transcriptPage() {
      for (const event of options.meanwhile ?? []) listener?.(event)
      const { source = 'live', entries = [] } = options
      return { source, entries, nextSeq: null, partial: null, damage: [] }
    },
  }
  const deps = { sessions, records } as unknown as Parameters<typeof sessionFeed>[0]
  const feed = sessionFeed(deps, id, options.lastEventId, abort.signal)
  return {
    next: async () => (await feed.next()).value,
    say: (event: SessionEvent) => listener?.(event),
    /** As a session does: it holds what it tells. */
    print(output: string) {
      const progress = { callId: 'call-1' as ToolCallId, output }
      printed.set('call-1', { ...progress, output: (printed.get('call-1')?.output ?? '') + output })
      listener?.({ type: 'call-progress', progress })
    },
    isHeard: () => listener !== null,
    async end() {
      abort.abort()
      await feed.return(undefined)
    },
  }
}

it.each([undefined, '1'])(
  'sends text that came while it caught up once, after the event id %s',
  async (lastEventId) => {
    const partial = saying('half a sentence')
    const meanwhile = [delta('half a '), delta('sentence')]
    const feed = openFeed({ ...(lastEventId && { lastEventId }), partial, meanwhile })
    expect(await feed.next()).toMatchObject({ partial })
    expect(await feed.next()).toMatchObject({ type: 'running', calls: [] })
    feed.say(delta(' more'))
    expect(await feed.next()).toMatchObject({ type: 'delta', text: ' more' })
    await feed.end()
  },
)

it.each([undefined, '1'])(
  'sends each piece of a command’s output once, after the event id %s',
  async (lastEventId) => {
    const feed = openFeed({ ...(lastEventId && { lastEventId }) })
    const first = feed.next()
    feed.print('one ')
    await first
    feed.print('two ')
    let output = ''
    while (!output.includes('two')) {
      const event: SessionFeedEvent | undefined = await feed.next()
      if (event?.type === 'running') output = event.calls.map((call) => call.output).join('')
      if (event?.type === 'call-progress') output += event.progress.output
    }
    expect(output).toBe('one two ')
    await feed.end()
  },
)

it('sends entries once that were written while it caught up', async () => {
  const [read, written] = [entry(2), entry(3)]
  const meanwhile: SessionEvent[] = [{ type: 'entries', entries: [read, written] }]
  const feed = openFeed({ lastEventId: '1', entries: [read], meanwhile })
  expect(await feed.next()).toMatchObject({ type: 'entries', entries: [read] })
  expect(await feed.next()).toMatchObject({ type: 'partial' })
  expect(await feed.next()).toMatchObject({ type: 'running' })
  expect(await feed.next()).toMatchObject({ type: 'entries', entries: [written] })
  await feed.end()
})

it.each([undefined, '1', '2'])(
  'ends for a session that is archived already, after the event id %s',
  async (lastEventId) => {
    const options = { source: 'archived' as const, ...(lastEventId && { lastEventId }) }
    const feed = openFeed({ ...options, entries: lastEventId === '2' ? [] : [entry(2)] })
    const types: (string | undefined)[] = []
    for (let event = await feed.next(); event; event = await feed.next()) types.push(event.type)
    expect(types.at(-1)).toBe('ended')
    expect(feed.isHeard()).toBe(false)
  },
)

it('joins neither two parts of a message nor the output of two calls', async () => {
  const feed = openFeed({})
  await feed.next()
  await feed.next()
  const output = (callId: string, text: string): SessionEvent => ({
    type: 'call-progress',
    progress: { callId: callId as ToolCallId, output: text },
  })
  feed.say(delta('said '))
  feed.say(delta('at once'))
  feed.say({ type: 'delta', part: 1, partType: 'reasoning', text: 'thought' })
  feed.say(output('one', 'of one, '))
  feed.say(output('one', 'more'))
  feed.say(output('two', 'of two'))
  expect([
    await feed.next(),
    await feed.next(),
    await feed.next(),
    await feed.next(),
  ]).toMatchObject([
    { type: 'delta', part: 0, text: 'said at once' },
    { type: 'delta', part: 1, text: 'thought' },
    { type: 'call-progress', progress: { callId: 'one', output: 'of one, more' } },
    { type: 'call-progress', progress: { callId: 'two', output: 'of two' } },
  ])
  await feed.end()
})
