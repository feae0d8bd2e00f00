import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { retentionDefaults, type Sweep } from '../../src/shared/contract/retention.ts'
import { doctorOf, pass, stage, startIsOver } from './retention-stage.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => void vi.useRealTimers())

const idsOf = ({ removed }: Sweep) => removed.map(({ id }) => id).toSorted()

it('keeps settings across restarts, and refuses invalid ones', async () => {
  const { open, dataDir } = await stage()
  let shiplog = await open()
  expect(await shiplog.client.retention.settings()).toEqual(retentionDefaults)
  const settings = {
    transcriptTtlDays: null,
    transcriptsMax: 500,
    bytesMax: 2e9,
    trashTtlDays: 14,
    trashBytesMax: 1e9,
  }
  await shiplog.client.retention.setSettings(settings)
  for (const wrong of [{ trashTtlDays: 0 }, { transcriptTtlDays: -1 }, { bytesMax: 0.5 }]) {
    await expect(shiplog.client.retention.setSettings({ ...settings, ...wrong })).rejects.toThrow()
  }
  await shiplog.close()
  shiplog = await open()
  expect(await shiplog.client.retention.settings()).toEqual(settings)
  expect(await doctorOf(shiplog)).toEqual([])
  expect(JSON.parse(await readFile(join(dataDir, 'settings.json'), 'utf8'))).toEqual({
    version: 1,
    retention: settings,
  })
})

it.each([
  [{ retention: { transcriptTtlDays: 7 } }, { transcriptTtlDays: 7 }],
  [{ version: 1, retention: { transcriptTtlDays: null } }, { transcriptTtlDays: null }],
  [{ version: 1, retention: { trashTtlDays: 2 }, theirs: true }, { trashTtlDays: 2 }],
  [{ retention: {} }, {}],
])('[X2] takes each setting alone: %j', async (file, set) => {
  const { open, dataDir } = await stage()
  await writeFile(join(dataDir, 'settings.json'), JSON.stringify(file))
  const shiplog = await open()
  expect(await shiplog.client.retention.settings()).toEqual({ ...retentionDefaults, ...set })
  await startIsOver(shiplog)
  expect((await shiplog.client.app.info()).notices).toEqual([])
  await shiplog.client.retention.setSettings({ ...retentionDefaults, transcriptsMax: 9 })
  const saved = JSON.parse(await readFile(join(dataDir, 'settings.json'), 'utf8'))
  expect(saved).toMatchObject({ ...file, version: 1, retention: { transcriptsMax: 9 } })
})

it('[X2] names the invalid key', async () => {
  const { open, dataDir } = await stage()
  const wrong = { retention: { transcriptTtlDays: 7, trashTtlDays: '2 days' } }
  await writeFile(join(dataDir, 'settings.json'), JSON.stringify(wrong))
  const shiplog = await open({ sweepAtStart: true })
  await startIsOver(shiplog)
  const { notices } = await shiplog.client.app.info()
  expect(notices[0]?.details[0]).toMatch(/^settings\.json .*retention\.trashTtlDays: .*number/)
  await expect(shiplog.client.retention.sweep({ clockIsRight: true })).rejects.toThrow(
    'retention.trashTtlDays',
  )
})

it('[X2] uses the days of the environment instead, and never writes them to the file', async () => {
  const { open, dataDir, middleId, leafId } = await stage()
  const path = join(dataDir, 'settings.json')
  await writeFile(path, '{"retention": {"transcriptTtlDays": 90}}')
  vi.stubEnv('SHIPLOG_TRANSCRIPT_TTL_DAYS', '2')
  onTestFinished(() => void vi.unstubAllEnvs())
  const shiplog = await open()
  const settings = await shiplog.client.retention.settings()
  expect(settings.transcriptTtlDays).toBe(2)
  await shiplog.client.retention.setSettings({ ...settings, trashTtlDays: 9 })
  expect(JSON.parse(await readFile(path, 'utf8')).retention).toMatchObject({
    transcriptTtlDays: 90,
    trashTtlDays: 9,
  })
  pass(3)
  expect(idsOf(await shiplog.client.retention.preview({}))).toEqual([middleId, leafId].toSorted())
  await shiplog.close()
  for (const [value, days] of [
    ['never', null],
    ['', 90],
  ] as const) {
    vi.stubEnv('SHIPLOG_TRANSCRIPT_TTL_DAYS', value)
    const again = await open()
    expect((await again.client.retention.settings()).transcriptTtlDays).toBe(days)
    await again.close()
  }
  vi.stubEnv('SHIPLOG_TRANSCRIPT_TTL_DAYS', 'a week')
  await expect(open()).rejects.toThrow('SHIPLOG_TRANSCRIPT_TTL_DAYS is "a week"')
})

it('[X2] a sweep can use other days than are set', async () => {
  const { open, middleId, leafId } = await stage()
  const shiplog = await open()
  pass(3)
  expect(idsOf(await shiplog.client.retention.sweep({ clockIsRight: true }))).toEqual([])
  const swept = await shiplog.client.retention.sweep({ transcriptTtlDays: 2 })
  expect(idsOf(swept)).toEqual([middleId, leafId].toSorted())
  expect(await shiplog.client.retention.settings()).toEqual(retentionDefaults)
})

it('sets damaged settings aside, and sweeps nothing by itself until they are saved again', async () => {
  const { open, dataDir } = await stage()
  const path = join(dataDir, 'settings.json')
  await writeFile(path, '{"version": 1, "retention": {"transcriptTtlDays": "never"}}', {
    mode: 0o600,
  })
  pass(365)
  for (const _ of [1, 2]) {
    const shiplog = await open({ sweepAtStart: true })
    await startIsOver(shiplog)
    const { notices } = await shiplog.client.app.info()
    expect(notices).toMatchObject([
      { tone: 'warning', text: expect.stringContaining('nothing is cleaned up') },
    ])
    expect(await shiplog.client.retention.settings()).toEqual(retentionDefaults)
    expect(idsOf(await shiplog.client.retention.preview({}))).toHaveLength(2)
    await expect(shiplog.client.retention.sweep({ clockIsRight: true })).rejects.toThrow(
      'settings.json.damaged-1 in the data directory. Correct the file',
    )
    await shiplog.close()
  }
  expect(await readFile(`${path}.damaged-1`, 'utf8')).toContain('never')
  pass(-345)
  const shiplog = await open()
  await shiplog.client.retention.setSettings({ ...retentionDefaults, transcriptTtlDays: 14 })
  await shiplog.close()
  const swept = await open({ sweepAtStart: true })
  await startIsOver(swept)
  expect((await swept.client.retention.receipts()).receipts).toHaveLength(1)
})
