/** A host that runs for weeks keeps the trash within its bytes without a sweep or a start. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { type Fixture, openFixture, start, until } from '../harness.ts'
import { dayMs } from './tasks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => void vi.useRealTimers())

const leavesFiles = `
version: 1
name: leaves files
agents:
  lead:
    turns:
      - call: bash
        with: { command: "head -c 10000 /dev/zero > ignored.db" }
      - report: { title: Done, markdown: Done. }
`

/** Resolves with the name of what its worktree left in the trash. */
async function leftBy({ shiplog }: Fixture, taskId: TaskId): Promise<string> {
  await until(shiplog, (tasks) => tasks.some((one) => one.id === taskId && one.endedAt !== null))
  await shiplog.client.workspace.remove({ workspaceId: taskId })
  const [kept] = (await shiplog.client.workspace.leftovers({ workspaceId: taskId })).leftovers
  return kept?.name ?? expect.fail('nothing was left')
}

it('[X3] deletes the oldest leftovers when new ones exceed the limit, with a receipt', async () => {
  const fixture = await openFixture({ files: { '.gitignore': '*.db\n' } })
  const { client } = fixture.shiplog
  const settings = await client.retention.settings()
  await client.retention.setSettings({ ...settings, trashBytesMax: 25_000 })
  const namesInTrash = async () => (await client.retention.trash()).entries.map(({ name }) => name)

  const first = await leftBy(fixture, await start(fixture, leavesFiles))
  expect(await namesInTrash()).toEqual([first]) // which notes when it was first seen there
  vi.setSystemTime(Date.now() + 2 * dayMs)
  const second = await leftBy(fixture, await start(fixture, leavesFiles))
  expect((await namesInTrash()).toSorted()).toEqual([first, second].toSorted())
  const third = await leftBy(fixture, await start(fixture, leavesFiles))
  // One look at the clock deletes nothing: only the one of another day confirms it.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect((await namesInTrash()).toSorted()).toEqual([first, second, third].toSorted())
  vi.setSystemTime(Date.now() + 2 * dayMs)
  const fourth = await leftBy(fixture, await start(fixture, leavesFiles))

  await vi.waitUntil(async () => (await client.retention.receipts()).receipts.length > 0, 15_000)
  const { receipts } = await client.retention.receipts()
  expect(receipts).toMatchObject([{ by: 'budget' }])
  const { items } = await client.retention.receipt({ receiptId: receipts[0]?.id ?? '' })
  expect(items).toMatchObject([{ id: first, reason: 'trash-bytes' }])
  await vi.waitUntil(async () => !(await namesInTrash()).includes(first), 15_000)
  expect((await namesInTrash()).toSorted()).toEqual([second, third, fourth].toSorted())
})
