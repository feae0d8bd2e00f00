/** What others do while a sweep or a deletion is between two of its steps: held there by a hook, never by time. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { makePatient } from '../doctor/patient.ts'
import { beforeLeaving, entriesOf } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { dayMs } from './tasks.ts'

const hooks = vi.hoisted(() => ({
  /** Runs once, after it was decided what goes and before anything is recorded as gone. */
  beforeReceipt: null as (() => Promise<unknown>) | null,
  /** Runs once, after it was looked up where a transcript is and before that is used. */
  afterPlace: null as (() => Promise<unknown>) | null,
  beforeDelete: null as ((path: string) => void) | null,
}))

vi.mock('../../src/main/retention/receipts.ts', async (original) => {
  const real = await original<typeof import('../../src/main/retention/receipts.ts')>()
  return {
    ...real,
    createReceipts(folder: string) {
      const receipts = real.createReceipts(folder)
      const write: typeof receipts.write = async (receipt) => {
        const { beforeReceipt } = hooks
        hooks.beforeReceipt = null
        await beforeReceipt?.()
        return receipts.write(receipt)
      }
      return { ...receipts, write }
    },
  }
})
vi.mock('../../src/main/retention/place.ts', async (original) => {
  const real = await original<typeof import('../../src/main/retention/place.ts')>()
  const placeOf: typeof real.placeOf = async (...asked) => {
    const place = await real.placeOf(...asked)
    const { afterPlace } = hooks
    hooks.afterPlace = null
    await afterPlace?.()
    return place
  }
  return { ...real, placeOf }
})
vi.mock('../../src/main/journal/index.ts', async (original) => {
  const real = await original<typeof import('../../src/main/journal/index.ts')>()
  const removeDurable: typeof real.removeDurable = (path, ...rest) => {
    hooks.beforeDelete?.(String(path))
    return real.removeDurable(path, ...rest)
  }
  return { ...real, removeDurable }
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => {
  hooks.beforeReceipt = null
  hooks.afterPlace = null
  hooks.beforeDelete = null
  vi.useRealTimers()
})

const pass = (days: number): void => void vi.setSystemTime(Date.now() + days * dayMs)

async function stage() {
  const patient = await makePatient()
  const shiplog = await openShiplog({ dataDir: patient.dataDir, host: 'cli' })
  onTestFinished(() => shiplog.close())
  const { client } = shiplog
  const transcriptOf = (taskId: string) =>
    client.workspace.getSubagentTranscript({ taskId, limit: 500 })
  const problems = async () => (await client.doctor.check({ repair: false })).problems
  return { ...patient, shiplog, client, transcriptOf, problems }
}

itInSoak(
  '[X1] a transcript pinned after it was chosen and before it is recorded as expired stays',
  async () => {
    const { client, leafId, middleId, transcriptOf, problems } = await stage()
    pass(31)
    hooks.beforeReceipt = () => client.retention.pin({ taskId: leafId, pinned: true })
    const { removed, receipt } = await client.retention.sweep({ clockIsRight: true })
    expect(removed.map(({ id }) => id)).toEqual([middleId])
    expect((await transcriptOf(leafId)).status).toBe('complete')
    const { items } = await client.retention.receipt({ receiptId: receipt ?? '' })
    expect(items.find(({ id }) => id === leafId)?.state).toBe('kept')
    expect(await problems()).toEqual([])
  },
)

it.each(['they were chosen', 'it was looked up where they are'] as const)(
  '[X3] a sweep finds transcripts whose root is archived after %s',
  async (when) => {
    const { client, dataDir, rootId, leafId, middleId, transcriptOf, problems } = await stage()
    pass(31)
    const archive = () => client.workspace.remove({ workspaceId: rootId })
    hooks.beforeReceipt = async () => {
      if (when === 'they were chosen') await archive()
      else hooks.afterPlace = archive
    }
    const { removed, receipt } = await client.retention.sweep({ clockIsRight: true })
    expect(removed.map(({ id }) => id).toSorted()).toEqual([leafId, middleId].toSorted())
    const place = join(dataDir, 'archive', rootId, 'subagent-transcripts', leafId, 'chat.jsonl')
    expect(existsSync(place)).toBe(false)
    expect((await transcriptOf(leafId)).status).toBe('expired')
    expect(await problems()).toEqual([])
    await client.retention.undo({ receiptId: receipt ?? '' })
    expect(existsSync(place)).toBe(true)
  },
)

it('[X3] does not record a transcript as deleted that was restored after its selection', async () => {
  const { client, shiplog, leafId, transcriptOf, problems } = await stage()
  const entries = await entriesOf(shiplog, leafId)
  pass(31)
  await client.retention.sweep({ clockIsRight: true })
  const name = `transcript-${leafId}`
  hooks.beforeReceipt = () => client.retention.restoreTrashed({ names: [name] })
  const answer = await client.retention.deleteTrashed({ names: [name] })
  expect(answer).toEqual({ deleted: [], left: [{ name, why: expect.any(String) }] })
  expect((await transcriptOf(leafId)).entries).toEqual(entries)
  expect(await problems()).toEqual([])
})

it('[X3] does not record a workspace as deleted that was restored after its selection', async () => {
  const { client, shiplog, rootId, problems } = await stage()
  const entries = await entriesOf(shiplog, rootId)
  await client.workspace.remove({ workspaceId: rootId })
  await client.workspace.trash({ workspaceId: rootId })
  const name = `archive-${rootId}`
  hooks.beforeReceipt = () => client.workspace.untrash({ workspaceId: rootId })
  const answer = await client.retention.deleteTrashed({ names: [name] })
  expect(answer.deleted).toEqual([])
  await client.workspace.restore({ workspaceId: rootId })
  expect(beforeLeaving(await entriesOf(shiplog, rootId))).toEqual(entries)
  expect(await problems()).toEqual([])
})

it('[X3] records a deletion before the first byte is deleted', async () => {
  const { client, dataDir, rootId, leafId } = await stage()
  pass(31)
  await client.retention.sweep({ clockIsRight: true })
  const recorded = (): string => readFileSync(join(dataDir, 'ledger.jsonl'), 'utf8')
  const seen: [string, boolean][] = []
  hooks.beforeDelete = (path) => {
    if (basename(path) === `transcript-${leafId}`)
      seen.push(['transcript', recorded().includes('"transcript.purged"')])
    if (basename(path) === `archive-${rootId}`)
      seen.push(['workspace', recorded().includes('"workspace.purged"')])
  }
  await client.retention.deleteTrashed({ names: [`transcript-${leafId}`] })
  await client.workspace.remove({ workspaceId: rootId })
  await client.workspace.trash({ workspaceId: rootId })
  await client.retention.deleteTrashed({ names: [`archive-${rootId}`] })
  expect(seen).toEqual([
    ['transcript', true],
    ['workspace', true],
  ])
})
