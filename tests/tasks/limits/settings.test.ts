import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLimitSettings } from '../../../src/main/tasks/limits/settings.ts'
import { temporaryDir } from '../../harness.ts'

it('stores the limits of new agents, and sets a damaged file aside', async () => {
  const path = join(await temporaryDir(), 'limits.json')
  const lost: string[] = []
  const open = () => openLimitSettings(path, (text) => lost.push(text))
  const settings = { budget: { usd: 5 }, quotaWaits: 3 }
  expect((await open()).current()).toEqual({ budget: null, quotaWaits: 0 })
  await (await open()).save(settings)
  expect((await open()).current()).toEqual(settings)
  await writeFile(path, '{"version":1,"budget":{"usd":-1}}')
  expect(lost).toEqual([])
  expect((await open()).current()).toEqual({ budget: null, quotaWaits: 0 })
  expect(lost).toEqual([expect.stringContaining('limits.json.damaged-1')])
  expect(await readFile(`${path}.damaged-1`, 'utf8')).toContain('-1')
})

it('leaves the file of a newer version in place until limits are saved', async () => {
  const dir = await temporaryDir()
  const path = join(dir, 'limits.json')
  const newer = '{"version":2,"budget":{"euros":5}}'
  await writeFile(path, newer)
  const lost: string[] = []
  const settings = await openLimitSettings(path, (text) => lost.push(text))
  expect(lost).toEqual([expect.stringContaining('limits.json was written by a newer version')])
  expect(await readFile(path, 'utf8')).toBe(newer)
  await settings.save({ budget: null, quotaWaits: 2 })
  expect(await readdir(dir)).toEqual(['limits.json', 'limits.json.newer-1'])
  expect(await readFile(`${path}.newer-1`, 'utf8')).toBe(newer)
})
