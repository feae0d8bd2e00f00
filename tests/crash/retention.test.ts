/** A crash at every step of sweeps, of taking back, and of deleting for good. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import type { ProblemKind } from '../../src/shared/contract/doctor.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { disownLease } from './crash-check.ts'
import { isSoak, seed, tryEach } from './effort.ts'
import { crashStates } from './explore.ts'
import type { CrashState } from './fault-fs/crash-state.ts'
import { record } from './fault-fs/record.ts'
import { differences, readTree, writeTree } from './fault-fs/tree.ts'
import { scratch } from './places.ts'
import { flatten, quiet, transcriptOf } from './services.ts'

const scenario = `
version: 1
name: pair
agents:
  lead:
    turns:
      - call: task
        with: { agent: scout, title: Scout, prompt: Look around }
      - report: { title: Done, markdown: All done. }
  scout:
    turns:
      - call: bash
        with: { command: 'head -c 300000 /dev/zero | tr "\\\\0" x' }
      - report: { title: Seen, markdown: All quiet. }
`

/** What was told to somebody, in order: from then on it holds. */
type Told = 'swept' | 'taken back' | 'swept again' | 'deleted'

/** What retention could do wrong; the rest of a crash's leavings is looked at in the other tests here. */
const lossKinds: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  ...(['transcript-missing', 'transcript-shortened', 'blob-missing', 'blob-damaged'] as const),
  ...(['report-missing', 'payload-damaged', 'index-names-missing', 'index-damaged'] as const),
  ...(['archive-missing', 'orphan-record', 'orphan-archive', 'unreadable'] as const),
])

afterEach(() => void vi.useRealTimers())

it('[X3] loses only transcripts whose time in the trash was over, after a crash at any step of a sweep', {
  timeout: isSoak ? 1_200_000 : 180_000,
}, async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const pass = (days: number) => void vi.setSystemTime(Date.now() + days * 86_400_000)
  const place = scratch()
  const dataDir = join(place, 'data')
  const known = await voyage(join(place, 'project'), dataDir)

  const recording = record(dataDir)
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const { retention } = shiplog.client
  const told = (what: Told) => recording.ack(what)
  pass(31)
  const first = await retention.sweep({ clockIsRight: true })
  told('swept')
  await retention.undo({ receiptId: first.receipt ?? '' })
  told('taken back')
  pass(31)
  expect((await retention.sweep({ clockIsRight: true })).removed).toHaveLength(known.size)
  told('swept again')
  pass(8)
  expect((await retention.sweep({ clockIsRight: true })).removed).toHaveLength(known.size)
  told('deleted')
  await shiplog.close()
  const trace = recording.stop()
  expect(first.removed).toHaveLength(2)

  const { tried, failures } = await tryEach(
    'crash points (retention)',
    crashStates(trace, seed),
    ({ state }) => check(join(place, 'state'), state, known),
  )
  expect(failures).toEqual({})
  if (!isSoak) expect(tried).toBeGreaterThan(30)
})

/** A root with a sub-agent, archived; what each of them said. */
async function voyage(projectDir: string, dataDir: string): Promise<Map<TaskId, Entry[]>> {
  mkdirSync(projectDir)
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const { client } = shiplog
  const { id: projectId } = await client.projects.add({ dir: projectDir })
  const source = {
    agent: { kind: 'scripted' as const, scenario, source: 'pair.yaml' },
    prompt: 'Go',
  }
  const { taskId } = await client.tasks.start({ projectId, ...source })
  await quiet(shiplog)
  await client.workspace.remove({ workspaceId: taskId })
  const known = new Map<TaskId, Entry[]>()
  for (const { id } of flatten((await client.tasks.list({ all: true })).tasks))
    known.set(id, await transcriptOf(shiplog, id))
  await shiplog.close()
  return known
}

/** What is wrong in words; empty when every promise holds. */
async function check(
  dataDir: string,
  state: CrashState,
  known: Map<TaskId, Entry[]>,
): Promise<string[]> {
  const told = (state.acknowledged as Told[]).at(-1)
  writeTree(dataDir, state.tree)
  try {
    await disownLease(dataDir)
    const wrong = await started(dataDir, async (shiplog) => {
      const { problems } = await shiplog.client.doctor.check({ repair: false })
      const damage = problems.filter(({ kind }) => lossKinds.has(kind))
      return [
        ...damage.map(({ kind, path }) => `the doctor: ${kind} ${path}`),
        ...(await whatIsWrong(shiplog, told, known)),
      ]
    })
    const settled = readTree(dataDir)
    await started(dataDir, async ({ client }) => client.doctor.check({ repair: false }))
    // Each start writes to its log.
    const changed = differences(settled, readTree(dataDir)).filter(
      (path) => !path.startsWith('logs/'),
    )
    const undone = await started(dataDir, (shiplog) => cannotBeUndone(shiplog, known))
    return [...wrong, ...undone, ...changed.map((path) => `the second start changed ${path}`)]
  } catch (error) {
    return [`does not start: ${error instanceof Error ? error.stack : error}`]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function started<T>(dataDir: string, use: (shiplog: Shiplog) => Promise<T>): Promise<T> {
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  try {
    return await use(shiplog)
  } finally {
    await shiplog.close()
  }
}

async function whatIsWrong(
  shiplog: Shiplog,
  told: Told | undefined,
  known: Map<TaskId, Entry[]>,
): Promise<string[]> {
  const { client } = shiplog
  const wrong: string[] = []
  for (const [taskId, entries] of known) {
    const page = await client.workspace.getSubagentTranscript({ taskId })
    if (!(await client.tasks.report({ taskId })).reportMarkdown) wrong.push('a report is lost')
    if (page.status === 'complete') {
      if (!isSame(await transcriptOf(shiplog, taskId), entries)) wrong.push('an entry is lost')
      if (told === 'swept again' || told === 'deleted') wrong.push(`${told}, and it is there`)
    } else if (page.status !== 'expired') wrong.push(`a transcript is ${page.status}`)
    else if (page.expired?.purgedAt && told !== 'swept again' && told !== 'deleted')
      wrong.push('deleted before its time')
    else if (!page.expired?.purgedAt && told === 'deleted') wrong.push('deleted, and in the trash')
  }
  return wrong
}

/** Whatever the ledger says can be taken back has to come back whole. */
async function cannotBeUndone(shiplog: Shiplog, known: Map<TaskId, Entry[]>): Promise<string[]> {
  const { client } = shiplog
  const wrong: string[] = []
  for (const [taskId, entries] of known) {
    const { expired } = await client.workspace.getSubagentTranscript({ taskId })
    if (!expired || expired.purgedAt) continue
    await client.retention.undo({ receiptId: expired.receiptId, taskId })
    if (!isSame(await transcriptOf(shiplog, taskId), entries)) wrong.push('taken back, not whole')
  }
  return wrong
}

const isSame = (a: Entry[], b: Entry[]): boolean => JSON.stringify(a) === JSON.stringify(b)
