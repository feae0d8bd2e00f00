/**
 * One thing done in a process of its own, so that nothing is loaded, compiled or remembered from before:
 * `node bench/probe.ts <action> <JSON>`. Prints what it took. Time counts from when the modules are
 * loaded; memory is the most that the whole process ever held.
 */
import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { openJournal, readJournalPage } from '../src/main/journal/index.ts'
import type { TaskId } from '../src/shared/records/ids.ts'
import type { Streaming } from './agents/streaming.ts'
import { makeUp } from './made-up.ts'
import { median, quantile, type Sample, timed } from './rounds.ts'

/** Records of a page: what the contract gives when nobody says how many. */
const pageRecords = 200
const randomPages = 40
/** Moves of a thumb that is dragged for a minute. */
const scrubMoves = 4_000
/** As much as a journal reads at a time. */
const hashedBytesAtOnce = 1 << 20

const actions = {
  /** As a resume does: opens the journal for writing, then reads its last page. */
  async 'open-journal'({
    file,
    records,
    healed,
  }: {
    file: string
    records: number
    healed: number
  }) {
    const startedAt = performance.now()
    const journal = await openJournal(file)
    const page = await journal.page({ last: pageRecords })
    const ms = performance.now() - startedAt
    await journal.close()
    expectTo(page.total === records && page.records.length > 0, 'all records were found')
    expectTo(journal.healed.length === healed, 'a torn tail was healed')
    return { ms }
  },

  /** As a viewer does, of a transcript that nobody writes. */
  async 'read-page'({ file, records }: { file: string; records: number }) {
    const startedAt = performance.now()
    const page = await readJournalPage(file, { last: pageRecords })
    const ms = performance.now() - startedAt
    expectTo(page.total === records && page.records.length > 0, 'all records were found')
    return { ms }
  },

  /** Pages anywhere in a journal that is open. */
  async 'random-pages'({ file, records, seed }: { file: string; records: number; seed: number }) {
    const { below } = makeUp(seed)
    const journal = await openJournal(file)
    const times: number[] = []
    for (let n = 0; n < randomPages; n++) {
      const fromSeq = 1 + below(records)
      times.push(
        await timed(async () => {
          const page = await journal.page({ fromSeq, limit: pageRecords })
          expectTo(page.records[0]?.seq === fromSeq, 'the page begins where it should')
        }),
      )
    }
    await journal.close()
    return { ms: median(times), longestMs: Math.max(...times) }
  },

  /** What has to be done where there is no journal: read the file, parse every line, hold what it says. */
  async 'read-whole'({ file, records }: { file: string; records: number }) {
    const startedAt = performance.now()
    const parsed: unknown[] = []
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      if (line === '') continue
      try {
        parsed.push(JSON.parse(line))
      } catch {
        // A torn tail is no record.
      }
    }
    const ms = performance.now() - startedAt
    expectTo(parsed.length === records, 'all records were found')
    return { ms }
  },

  /** The least that has to be done to know that a file's bytes are what they were. */
  async sha256({ file }: { file: string }) {
    const startedAt = performance.now()
    const hash = createHash('sha256')
    const handle = await open(file)
    const stream = handle.createReadStream({ highWaterMark: hashedBytesAtOnce })
    for await (const chunk of stream) hash.update(chunk as Buffer)
    hash.digest()
    return { ms: performance.now() - startedAt }
  },

  async 'start-up'({ dataDir, tasks }: { dataDir: string; tasks: number }) {
    const { openShiplog } = await import('../src/main/composition/shiplog.ts')
    const startedAt = performance.now()
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    const ms = performance.now() - startedAt
    const startedMb = await peakMb()
    const listed = await shiplog.client.tasks.list({ all: true })
    await shiplog.close()
    const count = (trees: typeof listed.tasks): number =>
      trees.reduce((sum, { children }) => sum + 1 + count(children), 0)
    expectTo(count(listed.tasks) === tasks, 'all tasks were found')
    return { ms, startedMb }
  },

  /** To the first turn of the agent that the person follows up on. */
  async 'follow-up'({ dataDir, taskId }: { dataDir: string; taskId: TaskId }) {
    return untilItBegins(dataDir, taskId, (client) =>
      client.tasks.prompt({ taskId, prompt: 'And on.' }),
    )
  },

  /** To the first turn of an interrupted agent. */
  async resume({ dataDir, taskId }: { dataDir: string; taskId: TaskId }) {
    return untilItBegins(dataDir, taskId, async (client) => {
      const { refused } = await client.tasks.resume({ selector: { by: 'task', taskId } })
      expectTo(refused.length === 0, `it was resumed: ${refused[0]?.message}`)
    })
  },

  /** The state as of entries anywhere, asked of a host that has just started. */
  async 'states-at'({ dataDir, taskId, records, seed }: LongPast) {
    const { openShiplog } = await import('../src/main/composition/shiplog.ts')
    const { below } = makeUp(seed)
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    const times: number[] = []
    for (let n = 0; n < randomPages; n++) {
      const seq = 1 + below(records)
      times.push(
        await timed(async () => {
          const state = await shiplog.client.transcripts.stateAt({ taskId, seq })
          expectTo(state.seq === seq, 'it is the state as of that entry')
        }),
      )
    }
    await shiplog.close()
    return { ms: median(times), longestMs: Math.max(...times) }
  },

  /** A replay: reading its timeline, then moving through it, with the state as of each moment. */
  async scrub({ dataDir, taskId, records, seed }: LongPast) {
    const { openShiplog } = await import('../src/main/composition/shiplog.ts')
    const { createReplay } = await import('../src/renderer/store/replay/replay-store.ts')
    const { stateAtSeq } = await import('../src/shared/projections/replay/replay-state.ts')
    const { below } = makeUp(seed)
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    const replay = createReplay({ client: shiplog.client, taskId, at: 'end' })
    const readMs = await timed(() => replay.read())
    const { timeline, phase, seq: end } = replay.store.getState()
    expectTo(phase === 'ready' && end === records, 'all of the timeline was read')
    const first = timeline.marks[0]?.seq ?? 0
    const times: number[] = []
    for (let n = 0; n < scrubMoves; n++) {
      const to = first + below(records - first + 1)
      const startedAt = performance.now()
      replay.seek(to)
      const { seq } = replay.store.getState()
      const state = stateAtSeq(timeline, seq)
      times.push(performance.now() - startedAt)
      expectTo(state.seq === seq && seq <= to, 'it is the state as of that moment')
    }
    replay.close()
    await shiplog.close()
    return {
      ms: readMs,
      marks: timeline.marks.length,
      moveUs: median(times) * 1000,
      mostMs: quantile(times, 0.99),
    }
  },

  /** Installed agents that stream at once, recorded. */
  async agents(given: Streaming) {
    const { streamRecorded } = await import('./agents/recorded.ts')
    return streamRecorded(given)
  },

  /** The same agents, and a client that only reads what they send. */
  async 'bare-agents'(given: Streaming) {
    const { streamBare } = await import('./agents/bare.ts')
    return streamBare(given)
  },

  async remove({ dataDir, rootId, tasks }: { dataDir: string; rootId: TaskId; tasks: number }) {
    const { openShiplog } = await import('../src/main/composition/shiplog.ts')
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    const startedAt = performance.now()
    const gone = leftTheList(shiplog.client, rootId)
    const { removed } = await shiplog.client.workspace.remove({ workspaceId: rootId })
    const ms = performance.now() - startedAt
    const goneMs = (await gone) - startedAt
    await shiplog.close()
    expectTo(removed.length === tasks, 'all workspaces were removed')
    return { ms, goneMs }
  },

  /** All sessions of Claude Code at a place, into a data directory that may be new. */
  async import(given: { dataDir: string; path: string; sessions: number; isNew: boolean }) {
    const { openShiplog } = await import('../src/main/composition/shiplog.ts')
    const shiplog = await openShiplog({ dataDir: given.dataDir, host: 'cli' })
    let sessions = 0
    const ms = await timed(async () => {
      const request = { tool: 'claude-code', path: given.path } as const
      for await (const event of await shiplog.client.imports.run(request))
        if (event.type === 'skipped') throw new Error(event.skipped.reason)
        else if (event.type === 'session' && event.session.isNew === given.isNew) sessions++
    })
    await shiplog.close()
    expectTo(sessions === given.sessions, 'all sessions were imported')
    return { ms }
  },
}

export type Action = keyof typeof actions

interface LongPast {
  dataDir: string
  taskId: TaskId
  records: number
  seed: number
}

type Client = Awaited<
  ReturnType<typeof import('../src/main/composition/shiplog.ts').openShiplog>
>['client']

async function untilItBegins(
  dataDir: string,
  taskId: TaskId,
  begin: (client: Client) => Promise<unknown>,
): Promise<Sample> {
  const { openShiplog } = await import('../src/main/composition/shiplog.ts')
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const openMb = await peakMb()
  const feed = await shiplog.client.feed.session({ workspaceId: taskId })
  // From now on it tells all that happens.
  await feed.next()
  const startedAt = performance.now()
  const [{ begunAt, begunMb }] = await Promise.all([firstTurn(feed), begin(shiplog.client)])
  await shiplog.close()
  return { ms: begunAt - startedAt, openMb, begunMb }
}

/** When the agent has begun a turn, as performance.now() counts, and the most memory until then. */
async function firstTurn(
  feed: Awaited<ReturnType<Client['feed']['session']>>,
): Promise<{ begunAt: number; begunMb: number }> {
  for await (const news of feed)
    if (news.type === 'partial' && news.partial)
      return { begunAt: performance.now(), begunMb: await peakMb() }
  throw new Error('not so: the agent has begun')
}

/** When the list of roots no longer contains the root, by performance.now(). */
async function leftTheList(client: Client, rootId: TaskId): Promise<number> {
  for await (const news of await client.feed.ledger()) {
    if (news.type !== 'records') continue
    const ofRoot = news.records.some(
      ({ event }) => event.type === 'workspace.removal-advanced' && event.workspaceId === rootId,
    )
    if (!ofRoot) continue
    const { tasks } = await client.tasks.list({})
    if (tasks.every(({ id }) => id !== rootId)) break
  }
  return performance.now()
}

/** A measurement of something that was not done is worse than none. */
function expectTo(is: boolean, what: string): void {
  if (!is) throw new Error(`not so: ${what}`)
}

/** The most memory this process ever had resident, in MB. */
async function peakMb(): Promise<number> {
  // Not resourceUsage().maxRSS alone: on Linux a new process begins with its parent's.
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return (Number(peakKib) * 1024) / 1e6
}

const [action = '', input = '{}'] = process.argv.slice(2)
const act = actions[action as Action] as ((input: unknown) => Promise<Sample>) | undefined
if (!act) throw new Error(`no action ${action}`)
const sample = await act(JSON.parse(input))
console.log(JSON.stringify({ ...sample, peakMb: await peakMb() }))
