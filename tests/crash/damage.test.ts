/** What no crash does, but disks, people and other programs do: files that are not what was written. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, it, vi } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { isSoak, seed, soakFactor, tryEach } from './effort.ts'
import { createRandom, type Random } from './fault-fs/random.ts'
import type { Tree } from './fault-fs/trace.ts'
import { differences, readTree, writeTree } from './fault-fs/tree.ts'
import { scratch } from './places.ts'
import { flatten, transcriptOf, voyage } from './services.ts'

/** Ids that a seed gives, one sequence for each kind of id; the usual ones while it is not started. */
const minted = vi.hoisted(() => {
  let seed: number | null = null
  const counts = new Map<string, number>()
  return {
    start(value: number) {
      seed = value
      counts.clear()
    },
    stop() {
      seed = null
    },
    isStarted: () => seed !== null,
    next(kind: string, usual: () => string): string {
      if (seed === null) return usual()
      const n = (counts.get(kind) ?? 0) + 1
      counts.set(kind, n)
      const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')
      const spread = Math.imul(n + seed, 0x9e3779b1) >>> 0
      return `${hex(spread, 8)}-${hex(kind.length, 4)}-4${hex(n % 4096, 3)}-8${hex(kind.charCodeAt(3), 3)}-${hex(seed % 2 ** 47, 12)}`
    },
  }
})

vi.mock('../../src/shared/records/ids.ts', async (importOriginal) => {
  const usual = await importOriginal<typeof import('../../src/shared/records/ids.ts')>()
  const mint = (name: string, id: () => string) => () => minted.next(name, id)
  return {
    ...usual,
    newTaskId: mint('newTaskId', usual.newTaskId),
    newProjectId: mint('newProjectId', usual.newProjectId),
    newEntryId: mint('newEntryId', usual.newEntryId),
    newPromptId: mint('newPromptId', usual.newPromptId),
  }
})

/** Its number has more digits in one run than in another, and the ledger holds it. */
vi.mock('../../src/main/processes/identity.ts', async (importOriginal) => {
  const usual = await importOriginal<typeof import('../../src/main/processes/identity.ts')>()
  const ownIdentity = async () => {
    const own = await usual.ownIdentity()
    return minted.isStarted() ? { ...own, pid: 7_777_777, startedAt: '7777777' } : own
  }
  return { ...usual, ownIdentity }
})

/** A data directory with one voyage in it, and what it answers when nothing is damaged. */
let whole: Tree
type Answers = Map<TaskId, { task: TaskTree; entries: Entry[]; report: string | null }>
let answers: Answers

beforeAll(async () => {
  ;({ tree: whole, answers } = await sailOnce())
})

/**
 * The same for the same seed: ids come from it, the clock stands still, and one agent works at a time. Only so
 * does a seed that found something find it again.
 */
async function sailOnce(): Promise<{ tree: Tree; answers: Answers }> {
  const place = scratchForAll()
  const dataDir = join(place, 'data')
  const projectDir = join(place, 'project')
  mkdirSync(projectDir)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') })
  minted.start(seed)
  const shiplog = await openShiplog({ dataDir, host: 'cli', agentsAtOnce: 1 })
  await voyage(shiplog, projectDir, undefined, { stay: true })
  const answers: Answers = new Map()
  for (const task of flatten((await shiplog.client.tasks.list({ all: true })).tasks)) {
    const entries = await transcriptOf(shiplog, task.id)
    const report = task.hasReport
      ? (await shiplog.client.tasks.report({ taskId: task.id })).reportMarkdown
      : null
    answers.set(task.id, { task, entries, report })
  }
  await shiplog.close()
  minted.stop()
  vi.useRealTimers()
  // No part of the record: it says how long things took.
  const tree: Tree = new Map([...readTree(dataDir)].filter(([path]) => !path.startsWith('logs')))
  rmSync(place, { recursive: true, force: true })
  return { tree, answers }
}

it('damages the same places of the same run for the same seed', async () => {
  const shape = (tree: Tree) =>
    [...tree]
      // The lease has the process's own id and a random one.
      .filter(([path]) => path !== 'lease.json')
      .map(([path, node]) => [path, node.kind === 'file' ? node.data.length : node.kind])
  const again = await sailOnce()
  expect(shape(again.tree)).toEqual(shape(whole))
  expect([...again.answers.keys()].sort()).toEqual([...answers.keys()].sort())
})

function scratchForAll(): string {
  // Always of the same length, because the ledger holds it.
  const name = `shiplog-damage-${String(process.pid).padStart(10, '0')}`
  const place = join(process.env.TMPDIR ?? '/tmp', name)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  return place
}

/** Answers how a file is after something happened to it; null where it can't happen to this one. */
type Mishap = (data: Buffer, random: Random) => Buffer | null

const linesOf = (data: Buffer): Buffer[] => {
  const lines: Buffer[] = []
  for (let start = 0; start < data.length; ) {
    const end = data.indexOf(0x0a, start) + 1 || data.length
    lines.push(data.subarray(start, end))
    start = end
  }
  return lines
}

const withLines =
  (change: (lines: Buffer[], random: Random) => Buffer[] | null): Mishap =>
  (data, random) => {
    const lines = linesOf(data)
    const changed = lines.length > 3 ? change(lines, random) : null
    return changed && Buffer.concat(changed)
  }

const mishaps: Record<string, Mishap> = {
  'a flipped bit': (data, random) => {
    if (data.length === 0) return null
    const flipped = Buffer.from(data)
    const at = random.below(data.length)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8))
    return flipped
  },
  'a block of NULs': (data, random) => {
    const holed = Buffer.from(data)
    const at = random.below(data.length)
    holed.fill(0, at, Math.min(data.length, at + 1 + random.below(600)))
    return holed
  },
  'invalid UTF-8': (data, random) => {
    const at = random.below(data.length)
    return Buffer.concat([data.subarray(0, at), Buffer.from([0xff, 0xc3, 0x28]), data.subarray(at)])
  },
  'a byte order mark': (data) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), data]),
  'Windows line ends': (data) =>
    Buffer.from(data.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  'nothing in it': () => Buffer.alloc(0),
  'a cut in the middle': (data, random) => data.subarray(0, random.below(data.length)),
  'a deleted line': withLines((lines, random) =>
    lines.toSpliced(random.below(lines.length - 1), 1),
  ),
  'a line twice': withLines((lines, random) => {
    const at = random.below(lines.length)
    return lines.toSpliced(at, 0, lines[at] as Buffer)
  }),
  'two lines swapped': withLines((lines, random) => {
    const at = random.below(lines.length - 1)
    return lines.toSpliced(at, 2, lines[at + 1] as Buffer, lines[at] as Buffer)
  }),
  'a line of 20 MB': withLines((lines, random) =>
    random.chance(0.1)
      ? lines.toSpliced(
          random.below(lines.length),
          0,
          Buffer.alloc(20 << 20, 'a'),
          Buffer.from('\n'),
        )
      : null,
  ),
  'another version': (data) => {
    const text = data.toString()
    return text.includes('"version"')
      ? Buffer.from(text.replace(/"version": ?1/, '"version": 99'))
      : null
  },
  'an id that climbs': (data, random) => {
    const ids = [...data.toString().matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g)]
    if (ids.length === 0) return null
    const id = random.pick(ids)[0]
    return Buffer.from(data.toString().replaceAll(id, '../../../outside/x'))
  },
}

/** Something happens to one place of the tree. Says what. */
function harm(random: Random): { tree: Tree; what: string; path: string } {
  for (;;) {
    const [path, node] = random.pick([...whole].filter(([name]) => name !== 'lease.json'))
    const tree: Tree = new Map(whole)
    if (random.chance(0.15)) {
      // Whatever stood there, and was below it, is elsewhere now.
      for (const below of whole.keys()) if (below.startsWith(`${path}/`)) tree.delete(below)
      tree.delete(path)
      if (random.chance(0.5)) return { tree, path, what: 'gone' }
      tree.set(path, { kind: 'link', target: `${'../'.repeat(path.split('/').length)}outside` })
      return { tree, path, what: 'a symbolic link' }
    }
    if (node.kind !== 'file') continue
    const [what, mishap] = random.pick(Object.entries(mishaps))
    const data = mishap(node.data, random)
    if (!data || data.equals(node.data)) continue
    tree.set(path, { kind: 'file', data })
    return { tree, path, what }
  }
}

/** An answer in words for what can't be given is fine; anything that nobody foresaw is not. */
const isForeseen = (error: unknown): boolean =>
  error instanceof Error && ('kind' in error || ('defined' in error && error.defined === true))

async function lookAtAll(shiplog: Shiplog): Promise<string[]> {
  const wrong: string[] = []
  const { notices } = await shiplog.client.app.info()
  const tasks = new Map(
    flatten((await shiplog.client.tasks.list({ all: true })).tasks).map((task) => [task.id, task]),
  )
  const warned = notices.some(({ tone }) => tone !== 'info')
  for (const [taskId, answer] of answers) {
    const task = tasks.get(taskId)
    if (!task) {
      if (!warned) wrong.push(`the task "${answer.task.title}" is gone, and nobody is told`)
      continue
    }
    wrong.push(...(await lookAtTranscript(shiplog, task, answer.entries)))
    if (answer.report === null) continue
    try {
      const { reportMarkdown } = await shiplog.client.tasks.report({ taskId })
      if (reportMarkdown !== answer.report) wrong.push('a changed report is given for the report')
    } catch (error) {
      if (!isForeseen(error)) wrong.push(`unforeseen, for a report: ${error}`)
      else if (
        task.hasReport &&
        'code' in (error as object) &&
        (error as { code: string }).code === 'NOT_FOUND'
      )
        wrong.push('a report that was is answered as one that never was')
    }
  }
  await Promise.all([
    shiplog.client.workspace.list({ archived: false }),
    shiplog.client.workspace.listTranscripts({}),
  ])
  return wrong
}

async function lookAtTranscript(
  shiplog: Shiplog,
  task: TaskTree,
  known: Entry[],
): Promise<string[]> {
  const taskId = task.id
  try {
    const page = await shiplog.client.workspace.getSubagentTranscript({ taskId, limit: 500 })
    const wrong = page.entries.flatMap((entry) => {
      if (entry.type === 'unknown') return []
      const original = known.find(({ uuid }) => uuid === entry.uuid)
      // What a start adds of its own: the end of a run that the damaged ledger calls running, and that a
      // worktree was left whose removal goes on.
      if (!original)
        return entry.type === 'run-end' || entry.type === 'worktree-state'
          ? []
          : [`an entry of "${task.title}" is new`]
      return isDeepStrictEqual(original, entry) ? [] : [`an entry of "${task.title}" was changed`]
    })
    const seen = new Set(page.entries.map(({ uuid }) => uuid))
    const lost = known.filter(({ uuid }) => !seen.has(uuid)).length
    if (lost > 0 && page.status === 'complete')
      wrong.push(
        `${lost} entries of "${task.title}" (${page.source}) are gone, and it is called complete`,
      )
    return wrong
  } catch (error) {
    return isForeseen(error) ? [] : [`unforeseen, for a transcript: ${error}`]
  }
}

/** Opens what was damaged, asks for everything, and may remove it all; what is wrong with that, in words. */
async function openAndLook(dataDir: string, removes: boolean): Promise<string[]> {
  const wrong: string[] = []
  try {
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    try {
      wrong.push(...(await lookAtAll(shiplog)))
      const [root] = (await shiplog.client.tasks.list({ all: true })).tasks
      if (root && removes) {
        await shiplog.client.workspace.remove({ workspaceId: root.id })
        wrong.push(...(await lookAtAll(shiplog)).map((one) => `after its removal: ${one}`))
      }
    } finally {
      await shiplog.close()
    }
  } catch (error) {
    if (!isForeseen(error))
      wrong.push(`unforeseen: ${error instanceof Error ? error.stack : error}`)
  }
  return wrong
}

it('[J4][J5][A2][A3][A5] answers correctly or reports the damage, and writes nowhere else', {
  timeout: isSoak ? 1_200_000 : 300_000,
}, async () => {
  const place = scratch()
  const outside = join(place, 'outside')
  mkdirSync(outside)
  const before = readTree(outside)
  const cases = Array.from({ length: isSoak ? 60 * soakFactor : 30 }, (_, n) => ({
    name: `seed ${seed + n}`,
    n,
  }))
  const { failures } = await tryEach('damaged directories', cases, async ({ n }) => {
    const random = createRandom(seed + n)
    const { tree, what, path } = harm(random)
    const dataDir = join(place, 'data')
    writeTree(dataDir, tree)
    const wrong = await openAndLook(dataDir, random.chance(0.5))
    const strayed = differences(before, readTree(outside))
    if (strayed.length > 0) wrong.push(`wrote outside: ${strayed.join(', ')}`)
    rmSync(dataDir, { recursive: true, force: true })
    return wrong.map((one) => `${one} (${what} at ${path})`)
  })
  expect(failures).toEqual({})
})

/** What was found in the search above, one of each. */
const found: {
  what: string
  path: RegExp
  becomes: Tree extends Map<string, infer N> ? N | null : never
}[] = [
  {
    what: '[A3] a link in place of the folder of transcripts',
    path: /^sessions\/[^/]+\/subagent-transcripts$/,
    becomes: { kind: 'link', target: '../../../outside' },
  },
  {
    what: '[A3] a link in place of a session directory',
    path: /^sessions\/[^/]+$/,
    becomes: { kind: 'link', target: '../../outside' },
  },
  {
    what: '[A3] a link in place of all sessions',
    path: /^sessions$/,
    becomes: { kind: 'link', target: '../outside' },
  },
  {
    what: '[A2] a link to a folder in place of an index',
    path: /\/subagent-reports\.json$/,
    becomes: { kind: 'link', target: '../../../outside' },
  },
  {
    what: '[A5] a report that was changed',
    path: /\/report\.md$/,
    becomes: { kind: 'file', data: Buffer.from('All is well.') },
  },
  {
    what: '[J4] a transcript that was emptied',
    path: /\/chat\.jsonl$/,
    becomes: { kind: 'file', data: Buffer.alloc(0) },
  },
  { what: '[J4] a ledger that is gone', path: /^ledger\.jsonl$/, becomes: null },
]

it.each(found)('detects $what', async ({ path, becomes }) => {
  const place = scratch()
  const outside = join(place, 'outside')
  mkdirSync(outside)
  const places = [...whole.keys()].filter((one) => path.test(one))
  expect(places).not.toEqual([])
  for (const at of places) {
    const tree: Tree = new Map(
      [...whole].filter(([one]) => one !== at && !one.startsWith(`${at}/`)),
    )
    if (becomes) tree.set(at, becomes)
    const dataDir = join(place, 'data')
    writeTree(dataDir, tree)
    expect(await openAndLook(dataDir, true), at).toEqual([])
    expect(readTree(outside), at).toEqual(new Map())
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it('detects [A5] a task that the ledger lost: artifacts of its sub-agents are damaged, not unknown', async () => {
  const dataDir = join(scratch(), 'data')
  const ledger = whole.get('ledger.jsonl')
  const lines = ledger?.kind === 'file' ? linesOf(ledger.data) : []
  const created = lines.flatMap((line, at) => (line.includes('"task.created"') ? [at] : []))
  expect(created.length).toBeGreaterThan(2)
  for (const at of created) {
    const data = Buffer.concat(lines.with(at, Buffer.from('../../../outside/x\n')))
    writeTree(dataDir, new Map(whole).set('ledger.jsonl', { kind: 'file', data }))
    expect(await openAndLook(dataDir, false), `line ${at + 1}`).toEqual([])
    rmSync(dataDir, { recursive: true, force: true })
  }
})
