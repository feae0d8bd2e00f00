/**
 * Runs one action in a new process, so that nothing is loaded, compiled or cached beforehand: `node bench/runner/probe.ts
 * <action> <JSON>`. Prints its figures. Time counts from when the modules are loaded; memory is the peak of the whole
 * process.
 */
import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { openJournal, readJournalPage } from '../../src/main/journal/index.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { Streaming } from '../agents/streaming.ts'
import { createGenerator } from '../data/generate.ts'
import { median, quantile, type Sample, timed } from './rounds.ts'

/** Records of a page: the contract's default. */
const pageRecords = 200
const randomPages = 40
/** Moves of the thumb in a drag of one minute. */
const scrubMoves = 4_000
/** The read size of a journal. */
const hashedBytesAtOnce = 1 << 20

const actions = {
  /** Opens the journal for writing, then reads its last page, as a resume does. */
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

  /** Reads a page of a transcript without a writer, as a viewer does. */
  async 'read-page'({ file, records }: { file: string; records: number }) {
    const startedAt = performance.now()
    const page = await readJournalPage(file, { last: pageRecords })
    const ms = performance.now() - startedAt
    expectTo(page.total === records && page.records.length > 0, 'all records were found')
    return { ms }
  },

  /** Reads pages at random positions of an open journal. */
  async 'random-pages'({ file, records, seed }: { file: string; records: number; seed: number }) {
    const { below } = createGenerator(seed)
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

  /** Baseline without a journal: reads the file, parses every line and keeps the values. */
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

  /** Baseline: the minimum work to verify the bytes of a file. */
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
    const { openShiplog } = await import('../../src/main/composition/shiplog.ts')
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

  /** Runs until the first turn of the agent that is followed up. */
  async 'follow-up'({ dataDir, taskId }: { dataDir: string; taskId: TaskId }) {
    return untilItBegins(dataDir, taskId, (client) =>
      client.tasks.prompt({ taskId, prompt: 'And on.' }),
    )
  },

  /** Runs until the first turn of an interrupted agent. */
  async resume({ dataDir, taskId }: { dataDir: string; taskId: TaskId }) {
    return untilItBegins(dataDir, taskId, async (client) => {
      const { refused } = await client.tasks.resume({ selector: { by: 'task', taskId } })
      expectTo(refused.length === 0, `it was resumed: ${refused[0]?.message}`)
    })
  },

  /** Reads the state as of random entries from a newly started host. */
  async 'states-at'({ dataDir, taskId, records, seed }: LongPast) {
    const { openShiplog } = await import('../../src/main/composition/shiplog.ts')
    const { below } = createGenerator(seed)
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

  /** Reads the timeline of a replay, then moves through it, computing the state at each position. */
  async scrub({ dataDir, taskId, records, seed }: LongPast) {
    const { openShiplog } = await import('../../src/main/composition/shiplog.ts')
    const { createReplay } = await import('../../src/renderer/store/replay/replay-store.ts')
    const { stateAtSeq } = await import('../../src/shared/projections/replay/replay-state.ts')
    const { below } = createGenerator(seed)
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

  /** Records installed agents that stream concurrently. */
  async agents(given: Streaming) {
    const { streamRecorded } = await import('../agents/recorded.ts')
    return streamRecorded(given)
  },

  /** Baseline: the same agents under a client that only reads their output. */
  async 'bare-agents'(given: Streaming) {
    const { streamBare } = await import('../agents/bare.ts')
    return streamBare(given)
  },

  async remove({ dataDir, rootId, tasks }: { dataDir: string; rootId: TaskId; tasks: number }) {
    const { openShiplog } = await import('../../src/main/composition/shiplog.ts')
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

  /** Imports all Claude Code sessions at a path into a data directory, which may be new. */
  async import(given: { dataDir: string; path: string; sessions: number; isNew: boolean }) {
    const { openShiplog } = await import('../../src/main/composition/shiplog.ts')
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
  ReturnType<typeof import('../../src/main/composition/shiplog.ts').openShiplog>
>['client']

async function untilItBegins(
  dataDir: string,
  taskId: TaskId,
  begin: (client: Client) => Promise<unknown>,
): Promise<Sample> {
  const { openShiplog } = await import('../../src/main/composition/shiplog.ts')
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const openMb = await peakMb()
  const feed = await shiplog.client.feed.session({ workspaceId: taskId })
  // After its first item the feed emits every event.
  await feed.next()
  const startedAt = performance.now()
  const [{ begunAt, begunMb }] = await Promise.all([firstTurn(feed), begin(shiplog.client)])
  await shiplog.close()
  return { ms: begunAt - startedAt, openMb, begunMb }
}

/** Returns when the agent began a turn, by `performance.now()`, and the peak memory until then. */
async function firstTurn(
  feed: Awaited<ReturnType<Client['feed']['session']>>,
): Promise<{ begunAt: number; begunMb: number }> {
  for await (const news of feed)
    if (news.type === 'partial' && news.partial)
      return { begunAt: performance.now(), begunMb: await peakMb() }
  throw new Error('not so: the agent has begun')
}

/** Returns when the list of roots no longer contained the root, by `performance.now()`. */
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

/** Throws if `is` is false: a figure for work that was not done would mislead. */
function expectTo(is: boolean, what: string): void {
  if (!is) throw new Error(`not so: ${what}`)
}

/** Returns the peak resident memory of this process, in MB. */
async function peakMb(): Promise<number> {
  // Not `resourceUsage().maxRSS` alone: on Linux a new process inherits its parent's value.
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return (Number(peakKib) * 1024) / 1e6
}

const [action = '', input = '{}'] = process.argv.slice(2)
const act = actions[action as Action] as ((input: unknown) => Promise<Sample>) | undefined
if (!act) throw new Error(`no action ${action}`)
const sample = await act(JSON.parse(input))
console.log(JSON.stringify({ ...sample, peakMb: await peakMb() }))
