import { expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { temporaryDir } from '../harness.ts'

it.each([
  ['the app', 'web', 1],
  ['not by each command', 'cli', 0],
] as const)('tells that nothing locks the data directory, by %s', async (_, host, times) => {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw Object.assign(new Error('database is locked'), { errcode: 5 })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const shiplog = await openShiplog({ dataDir: await temporaryDir(), host })
  const { notices } = await shiplog.client.app.info()
  await shiplog.close()
  const told = notices.filter(({ text }) => text.startsWith('The data directory can’t be locked.'))
  expect(told.map(({ tone, details }) => [tone, details])).toEqual(
    Array.from({ length: times }, () => ['warning', ['its file system has no locks']]),
  )
})
