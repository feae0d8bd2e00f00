/** A disk that refuses: each error at each kind of call of a run. Then the disk recovers, and work goes on. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { tidiedAtStart } from '../../src/main/doctor/problems.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { Problem } from '../../src/shared/contract/doctor.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import { isSoak, seed, tryEach } from './effort.ts'
import { patternOf } from './explore.ts'
import { type Fact, isResidue, whatIsLost } from './facts.ts'
import { createRandom } from './fault-fs/random.ts'
import { type Attempt, type Fault, record } from './fault-fs/record.ts'
import { eventsIn } from './layers.ts'
import { scratch } from './places.ts'
import { flatten, reopenServices, transcriptOf } from './services.ts'

const codes = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EMFILE'] as const

/** Short, because it is played hundreds of times: a nested one, a report, a clean-up. */
const scenario = `
version: 1
name: short
agents:
  lead:
    turns:
      - steps:
          - say: Go.
          - call: task
            with: { agent: mate, title: Mate, prompt: Go }
      - report: { title: Over, markdown: All well. }
  mate:
    turns:
      - call: list_files
        with: {}
      - report: { title: Kept, markdown: All kept. }
`

interface Outcome {
  wrong: string[]
}

/** Plays a run on a disk that answers as `inject` says, lets the disk recover, and goes on. */
async function playOn(place: string, inject: (attempt: Attempt) => Fault | null): Promise<Outcome> {
  const dataDir = join(place, 'data')
  const projectDir = join(place, 'project')
  mkdirSync(projectDir)
  const wrong: string[] = []
  const acknowledged: Fact[] = []
  let broken = false
  let hasRefused = false
  // Begun before anything is opened, or what is open already would stay out of it.
  const recording = record(dataDir, {
    inject: (attempt) => {
      const fault = broken ? inject(attempt) : null
      if (fault) hasRefused = true
      return fault
    },
  })
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  broken = true
  try {
    const project = await shiplog.client.projects.add({ dir: projectDir }).catch(clear(wrong))
    const root = project && (await start(shiplog, project.id).catch(clear(wrong)))
    // An agent that waits for a sub-agent may wait for the disk with it: a moment after its first refusal it recovers.
    if (root) await over(shiplog, () => hasRefused)
    broken = false
    if (root) await over(shiplog)
    const id = project?.id ?? (await shiplog.client.projects.add({ dir: projectDir })).id
    const again = root ?? (await start(shiplog, id))
    await over(shiplog)
    await settled(shiplog)
    await explained(shiplog, wrong)
    await shiplog.client.tasks.prompt({ taskId: again, prompt: 'And now?' })
    await over(shiplog)
    const after = flatten((await shiplog.client.tasks.list({ all: true })).tasks)
    const now = after.find((task) => task.id === again)
    if (now?.status !== 'completed')
      wrong.push(`a later prompt ends as ${now?.status}: ${JSON.stringify(now?.cause)}`)
    acknowledged.push(...(await everythingShown(shiplog, dataDir)))
  } finally {
    recording.stop()
    await shiplog.close()
  }
  const reopened = await reopenServices(dataDir)
  // No process died, so no start had a reason to look for what the refused calls left behind.
  const residue = (problem: Problem) => isResidue(problem) || tidiedAtStart.has(problem.kind)
  wrong.push(...(await whatIsLost(dataDir, reopened, acknowledged, residue)))
  await reopened.close()
  return { wrong }
}

/** A refusal is an answer if it says what the disk said. */
function clear(wrong: string[]) {
  return (error: unknown): null => {
    if (!codes.some((code) => String(error).includes(code))) wrong.push(`unclear refusal: ${error}`)
    return null
  }
}

async function start(shiplog: Shiplog, projectId: string): Promise<TaskId> {
  const { taskId } = await shiplog.client.tasks.start({
    projectId: projectId as never,
    agent: { kind: 'scripted', scenario, source: 'short.yaml' },
    prompt: 'Go',
  })
  return taskId
}

/** Nobody is at work any more, however it ended; or 60 looks, 5 ms apart, found `hasRefused`. */
async function over(shiplog: Shiplog, hasRefused?: () => boolean): Promise<void> {
  let looksSince = 0
  for (let n = 0; shiplog.runningAgents().length > 0; n++) {
    if (hasRefused?.() && looksSince++ === 60) return
    if (n > 4000) throw new Error('it does not come to an end')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** What could not be recorded while the disk was bad is, soon after. */
async function settled(shiplog: Shiplog): Promise<void> {
  for (let n = 0; n < 1000; n++) {
    const tasks = flatten((await shiplog.client.tasks.list({ all: true })).tasks)
    if (!tasks.some(({ status }) => isRunning(status))) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('what the bad disk refused is still not recorded')
}

/** What did not complete says why, and nothing is shown as running that does not run. */
async function explained(shiplog: Shiplog, wrong: string[]): Promise<void> {
  const tasks = flatten((await shiplog.client.tasks.list({ all: true })).tasks)
  for (const { title, status, cause } of tasks) {
    if (isRunning(status)) wrong.push(`"${title}" is shown as ${status}, and nobody runs it`)
    if ((status === 'interrupted' || status === 'failed' || status === 'cancelled') && !cause)
      wrong.push(`"${title}" is ${status} without a cause`)
  }
}

/** All that the services show now: after a restart it must be the same. */
async function everythingShown(shiplog: Shiplog, dataDir: string): Promise<Fact[]> {
  const tasks = flatten((await shiplog.client.tasks.list({ all: true })).tasks)
  const events = await eventsIn(layoutOf(dataDir).ledger)
  const facts: Fact[] = events.map(({ seq, event }) => ({ what: 'event', seq, event }))
  for (const { id: taskId, hasReport } of tasks) {
    for (const entry of await transcriptOf(shiplog, taskId))
      facts.push({ what: 'entry', taskId, entry })
    if (!hasReport) continue
    const { run, reportMarkdown } = await shiplog.client.tasks.report({ taskId })
    facts.push({ what: 'report', taskId, run, markdown: reportMarkdown })
  }
  return facts
}

async function inFolder<T>(parent: string, work: (place: string) => Promise<T>): Promise<T> {
  const place = mkdtempSync(join(parent, 'try-'))
  try {
    return await work(place)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

interface BadDisk {
  name: string
  /** From which call on, by its number or its class. */
  from: number | string
  /** How many calls it refuses. */
  lasts: number
  code: (typeof codes)[number]
  /** Half of the first refused write is written. */
  tears: boolean
}

const callOf = ({ call, path }: Attempt): string => `${call} ${patternOf(path)}`

/** One bad disk for each class of call; the soak has several for each call. */
function badDisks(attempts: readonly Attempt[]): BadDisk[] {
  const random = createRandom(seed)
  const disk = (from: number | string, lasts: number, code: BadDisk['code']): BadDisk => {
    const tears = random.chance(0.3)
    return { name: `${code} from ${from}, ${lasts} long`, from, lasts, code, tears }
  }
  if (isSoak)
    return attempts.flatMap(({ n }) =>
      [1, random.pick([3, 12]), 1000].map((lasts) => disk(n, lasts, random.pick(codes))),
    )
  return [...new Set(attempts.map(callOf))].map((call, i) =>
    disk(call, [1, 3, 12, 1000][i % 4] ?? 1, codes[i % codes.length] ?? 'EIO'),
  )
}

function faultsOf({ from, lasts, code, tears }: BadDisk) {
  let refused = 0
  return (attempt: Attempt): Fault | null => {
    const begins = typeof from === 'number' ? attempt.n >= from : callOf(attempt) === from
    if (refused === lasts || (refused === 0 && !begins)) return null
    refused++
    return tears ? { code, tear: 0.5 } : { code }
  }
}

it('[J7][T3] stops the run with the cause if a call fails, keeps acknowledged records, and continues afterwards', {
  timeout: isSoak ? 1_200_000 : 300_000,
}, async () => {
  const parent = scratch()
  const attempts: Attempt[] = []
  const { wrong } = await inFolder(parent, (place) =>
    playOn(place, (attempt) => {
      attempts.push(attempt)
      return null
    }),
  )
  expect(wrong).toEqual([])
  const { tried, failures } = await tryEach('bad disks', badDisks(attempts), async (disk) => {
    const outcome = await inFolder(parent, (place) => playOn(place, faultsOf(disk))).catch(
      (error) => ({ wrong: [String(error instanceof Error ? error.stack : error)] }),
    )
    return outcome.wrong
  })
  expect(failures).toEqual({})
  if (!isSoak) expect(tried).toBeGreaterThan(100)
})

it('[J7] [T3] records the end of a run once the disk allows, and takes a later prompt', async () => {
  const place = scratch()
  const dataDir = join(place, 'data')
  mkdirSync(join(place, 'project'))
  let full = false
  const recording = record(dataDir, {
    inject: ({ call, path }) =>
      full && call === 'write' && path === 'ledger.jsonl' ? { code: 'ENOSPC' } : null,
  })
  onTestFinished(() => void recording.stop())
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  onTestFinished(() => shiplog.close())
  const statuses = async () =>
    flatten((await shiplog.client.tasks.list({ all: true })).tasks).map(({ status }) => status)
  const project = await shiplog.client.projects.add({ dir: join(place, 'project') })
  const { taskId } = await shiplog.client.tasks.start({
    projectId: project.id,
    agent: {
      kind: 'scripted',
      scenario: scenario.replace('- say: Go.', '- wait: 300ms'),
      source: 'slow.yaml',
    },
    prompt: 'Go',
  })
  while ((await statuses())[0] === 'queued') await new Promise((resolve) => setTimeout(resolve, 5))
  full = true
  await over(shiplog)
  await expect(shiplog.client.tasks.prompt({ taskId, prompt: 'And now?' })).rejects.toThrow(
    'ENOSPC',
  )
  full = false
  await shiplog.client.tasks.prompt({ taskId, prompt: 'And now?' })
  await over(shiplog)
  expect((await statuses())[0]).toBe('completed')
  const events = await eventsIn(layoutOf(dataDir).ledger)
  expect(events.find(({ event }) => event.type === 'task.interrupted')?.event).toMatchObject({
    cause: { kind: 'disk-full', code: 'ENOSPC' },
  })
})
