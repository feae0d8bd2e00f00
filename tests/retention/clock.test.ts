/** A clock that leapt ahead makes everything look old: nothing is removed by it until the user says that it is right. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import {
  clockAhead,
  foldClock,
  type LedgerClock,
  unknownClock,
} from '../../src/shared/projections/ledger/ledger-clock.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { makePatient } from '../doctor/patient.ts'
import { dayMs } from './tasks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => void vi.useRealTimers())

const pass = (days: number): void => void vi.setSystemTime(Date.now() + days * dayMs)
const tenYears = 3650

async function stage() {
  const patient = await makePatient()
  const trash = () => readdir(join(patient.dataDir, 'trash')).catch(() => [])
  async function open(host: 'cli' | 'web' = 'cli'): Promise<Shiplog> {
    const shiplog = await openShiplog({ dataDir: patient.dataDir, host })
    onTestFinished(() => shiplog.close())
    // The doctor waits for what a start does in the background.
    await shiplog.client.doctor.check({ repair: false })
    return shiplog
  }
  return { ...patient, open, trash }
}

const refusal = { code: 'REFUSED', data: { reason: 'clock-ahead' } }
const noticesOf = async ({ client }: Shiplog) => (await client.app.info()).notices
const statusOf = async ({ client }: Shiplog, taskId: TaskId) =>
  (await client.workspace.getSubagentTranscript({ taskId })).status

it('[X3] removes nothing at a start with the clock ten years ahead, nor at a prune a week later', async () => {
  const { open, trash, rootId, leafId, middleId } = await stage()
  // Something is in the trash already, and its days are over by that clock.
  let shiplog = await open()
  await shiplog.client.retention.sweep({ transcriptTtlDays: 0 })
  await shiplog.client.retention.restoreTrashed({ names: [`transcript-${leafId}`] })
  expect(await trash()).toEqual([`transcript-${middleId}`])
  await shiplog.close()

  pass(tenYears)
  shiplog = await open('web')
  const [notice] = await noticesOf(shiplog)
  expect(notice).toMatchObject({ tone: 'warning', topic: 'clock-ahead' })
  expect(notice?.text).toMatch(
    /^The clock is 3,6\d\d days past the newest record \(\w{3} \d+, \d{4}\), so nothing was cleaned up\./,
  )
  expect(notice?.text).toContain('`shiplog prune --yes`')
  // What that start writes is of the wrong time, and must not vouch for it.
  await shiplog.client.tasks.rename({ taskId: rootId, title: 'Renamed on a wrong clock' })
  await shiplog.close()

  pass(7)
  shiplog = await open('web')
  expect(await noticesOf(shiplog)).toHaveLength(1)
  await expect(shiplog.client.retention.sweep({})).rejects.toMatchObject(refusal)
  await expect(shiplog.client.retention.sweep({ transcriptTtlDays: 1 })).rejects.toMatchObject(
    refusal,
  )
  expect(await trash()).toEqual([`transcript-${middleId}`])
  expect(await statusOf(shiplog, leafId)).toBe('complete')
  expect((await shiplog.client.retention.preview({})).clockAhead).toMatchObject({
    newestAt: expect.stringMatching(/^\d{4}-/),
    days: expect.any(Number),
  })
  await shiplog.close()

  // The clock is put right: everything goes on as if nothing had been.
  pass(-tenYears - 6)
  shiplog = await open('web')
  expect(await noticesOf(shiplog)).toEqual([])
  expect(await trash()).toEqual([`transcript-${middleId}`])
  expect(await shiplog.client.retention.sweep({})).toMatchObject({ removed: [] })
})

it('[X3] after a real absence one confirmation is enough', async () => {
  const { open, leafId, middleId, trash } = await stage()
  pass(100)
  let shiplog = await open('web')
  expect(await noticesOf(shiplog)).toHaveLength(1)
  expect(await trash()).toEqual([])
  const swept = await shiplog.client.retention.sweep({ clockIsRight: true })
  expect(swept.removed.map(({ id }) => id).toSorted()).toEqual([leafId, middleId].toSorted())
  expect(await noticesOf(shiplog)).toEqual([])
  await shiplog.close()
  pass(8)
  shiplog = await open('web')
  expect(await trash()).toHaveLength(2)
  await shiplog.close()
  pass(1)
  shiplog = await open('web')
  // The trash is emptied by itself again.
  expect(await trash()).toEqual([])
  expect((await shiplog.client.retention.receipts()).receipts[0]).toMatchObject({ by: 'start' })
})

it('[X3] a pause of three weeks needs no confirmation', async () => {
  const { open, trash } = await stage()
  const shiplog = await open()
  await shiplog.client.retention.setSettings({
    ...(await shiplog.client.retention.settings()),
    transcriptTtlDays: 14,
  })
  await shiplog.close()
  pass(20)
  const swept = await open('web')
  expect(await trash()).toHaveLength(2)
  expect((await noticesOf(swept)).map(({ topic }) => topic)).toEqual([undefined])
})

it.each([8, 20])(
  '[X3] a clock that is %i days ahead deletes nothing permanently, at no start of a day',
  async (daysAhead) => {
    const { open, trash, dataDir, leafId, middleId } = await stage()
    let shiplog = await open()
    const { client } = shiplog
    await client.retention.setSettings({ ...(await client.retention.settings()), trashBytesMax: 0 })
    await mkdir(join(dataDir, 'trash'), { recursive: true, mode: 0o700 })
    await writeFile(join(dataDir, 'trash', 'odds-and-ends'), 'kept')
    await client.retention.sweep({ transcriptTtlDays: 0 })
    const all = ['odds-and-ends', `transcript-${leafId}`, `transcript-${middleId}`].toSorted()
    expect((await trash()).toSorted()).toEqual(all)
    await shiplog.close()

    pass(daysAhead)
    for (let start = 0; start < 3; start++) {
      shiplog = await open('web')
      expect((await shiplog.client.retention.preview({})).removed).toEqual([])
      expect(await shiplog.client.retention.sweep({})).toMatchObject({ removed: [] })
      await shiplog.close()
      pass(0.3)
    }
    pass(-daysAhead)
    shiplog = await open('web')
    expect((await trash()).toSorted()).toEqual(all)
    await shiplog.close()
    // Another jump: what was found due by the first one counts for nothing.
    pass(daysAhead + 2)
    shiplog = await open('web')
    expect((await trash()).toSorted()).toEqual(all)
    // The user's word on the date needs no second look.
    await shiplog.client.retention.sweep({ clockIsRight: true })
    expect(await trash()).toEqual([])
  },
)

it('[X3] a full trash is not emptied after the clock leapt ahead', async () => {
  const { open, trash, rootId, dataDir } = await stage()
  let shiplog = await open()
  const { client } = shiplog
  const settings = await client.retention.settings()
  await client.retention.setSettings({ ...settings, trashBytesMax: 0 })
  await mkdir(join(dataDir, 'trash'), { recursive: true, mode: 0o700 })
  await writeFile(join(dataDir, 'trash', 'odds-and-ends'), 'kept')
  // Seen there on the right day.
  await client.retention.trash()
  const { workspaces } = await client.workspace.list({ archived: false })
  const path = workspaces.find(({ id }) => id === rootId)?.path ?? ''
  await writeFile(join(path, '.gitignore'), 'left.txt\n')
  await writeFile(join(path, 'left.txt'), 'what no patch holds')
  await shiplog.close()

  pass(tenYears)
  shiplog = await open()
  await shiplog.client.workspace.remove({ workspaceId: rootId })
  await shiplog.client.workspace.leftovers({ workspaceId: rootId })
  await shiplog.client.doctor.check({ repair: false })
  expect(await trash()).toContain('odds-and-ends')
  expect((await noticesOf(shiplog)).map(({ topic }) => topic)).toEqual(['clock-ahead'])
  // The budget counts as soon as the clock is confirmed.
  await shiplog.client.retention.sweep({ clockIsRight: true })
  expect(await trash()).not.toContain('odds-and-ends')
})

it('[X3] remembers a leap until the clock goes back or is confirmed', () => {
  const fold = (clock: LedgerClock, day: number, type = 'retention.swept') =>
    foldClock(clock, { seq: 1, at: day * dayMs, event: { type } as never })
  const usual = fold(fold(unknownClock, 1), 21)
  expect(clockAhead(usual, 42 * dayMs)).toBeNull()
  expect(clockAhead(usual, 43 * dayMs)).toEqual({ days: 22, newestAtMs: 21 * dayMs })
  expect(clockAhead(unknownClock, 43 * dayMs)).toBeNull()
  const leapt = fold(fold(usual, 4000), 4001)
  expect(clockAhead(leapt, 4002 * dayMs)).toEqual({ days: 3981, newestAtMs: 21 * dayMs })
  // Right again, before anything is written and after.
  expect(clockAhead(leapt, 22 * dayMs)).toBeNull()
  expect(clockAhead(fold(leapt, 22), 23 * dayMs)).toBeNull()
  expect(clockAhead(fold(leapt, 22), 4002 * dayMs)).not.toBeNull()
  expect(clockAhead(fold(leapt, 4002, 'clock.confirmed'), 4003 * dayMs)).toBeNull()
})
