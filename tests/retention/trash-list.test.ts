/** What the list of the trash says of each thing, and which folder is opened for it. */
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { retentionDefaults } from '../../src/shared/contract/retention.ts'
import { makePatient } from '../doctor/patient.ts'
import { dayMs } from './tasks.ts'

const opened = vi.hoisted(() => [] as string[])
vi.mock('../../src/main/system/open-folder.ts', () => ({
  openFolder: async (path: string) => void opened.push(path),
}))

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => void vi.useRealTimers())

async function stage() {
  const patient = await makePatient()
  const { client, close } = await openShiplog({ dataDir: patient.dataDir, host: 'cli' })
  onTestFinished(() => close())
  const reasonOf = async (name: string) =>
    (await client.retention.trash()).entries.find((entry) => entry.name === name)?.reason
  return { ...patient, client, reasonOf }
}

it('[X3] says why each transcript and workspace is in the trash', async () => {
  const { client, dataDir, rootId, leafId, middleId, reasonOf } = await stage()
  const { receipt } = await client.retention.sweep({ transcriptTtlDays: 0 })
  expect(await reasonOf(`transcript-${leafId}`)).toBe('age')
  await client.retention.undo({ receiptId: receipt ?? '' })
  vi.setSystemTime(Date.now() + dayMs)
  await client.retention.setSettings({ ...retentionDefaults, transcriptsMax: 0 })
  const swept = await client.retention.sweep({})
  expect(await reasonOf(`transcript-${middleId}`)).toBe('count')
  // Without its receipt nothing says why.
  await writeFile(join(dataDir, 'receipts', `${swept.receipt}.json`), '{')
  expect(await reasonOf(`transcript-${middleId}`)).toBeNull()
  await client.workspace.remove({ workspaceId: rootId })
  await client.workspace.trash({ workspaceId: rootId })
  expect(await reasonOf(`archive-${rootId}`)).toBe('person')
})

it('opens the folder of an item in the trash, never a file, a link or anything outside', async () => {
  const { client, dataDir, leafId } = await stage()
  await client.retention.sweep({ transcriptTtlDays: 0 })
  const { dir } = await client.retention.trash()
  expect(dir).toBe(join(dataDir, 'trash'))
  await writeFile(join(dir, 'runnable.sh'), '#!/bin/sh\n', { mode: 0o700 })
  await symlink('/', join(dir, 'elsewhere'))
  opened.length = 0
  for (const name of [null, `transcript-${leafId}`, 'runnable.sh', 'elsewhere'])
    await client.retention.openTrash({ name })
  expect(opened).toEqual([dir, join(dir, `transcript-${leafId}`), dir, dir])
  for (const name of ['..', '../ledger.jsonl', 'nothing', '.'])
    await expect(client.retention.openTrash({ name })).rejects.toThrow('not in the trash any more')
  expect(opened).toHaveLength(4)
})
