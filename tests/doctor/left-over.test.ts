/** Temporary files: those of a process that died go at the next start, and those of this one are left to it. */
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replaceBy } from '../../src/main/journal/index.ts'

import { newProjectId } from '../../src/shared/records/ids.ts'
import { openFixture } from '../harness.ts'

const own = { mode: 0o600 }

it('takes a temporary file away after a crash, also one from before the clock was set back', async () => {
  const fixture = await openFixture()
  const { dataDir } = fixture
  const lease = await readFile(join(dataDir, 'lease.json'), 'utf8')
  await fixture.shiplog.close()
  const folder = join(dataDir, 'projects', newProjectId())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const left = join(folder, 'agent-history.json.6a3ee8ba-4f5b-4d4e-9f5e-1de0a5b2e1a1.tmp')
  await writeFile(left, 'half', own)
  const tomorrow = new Date(Date.now() + 86_400_000)
  await utimes(left, tomorrow, tomorrow)
  // The lease of a process that died: another process has its number, but began at another time.
  const died = { ...JSON.parse(lease), processStartedAt: 'long ago' }
  await writeFile(join(dataDir, 'lease.json'), JSON.stringify(died), own)
  const { client } = await fixture.restart()
  await expect(stat(left)).rejects.toMatchObject({ code: 'ENOENT' })
  expect((await client.doctor.check({ repair: false })).problems).toEqual([])
})

it('leaves a temporary file that this process is writing, whatever time the disk gives it', async () => {
  const { dataDir, shiplog } = await openFixture()
  await replaceBy(join(dataDir, 'settings.json'), async (prepared) => {
    await writeFile(prepared, '{}\n', own)
    await utimes(prepared, 0, 0)
    expect((await shiplog.client.doctor.check({ repair: true })).problems).toEqual([])
  })
  expect(await readFile(join(dataDir, 'settings.json'), 'utf8')).toBe('{}\n')
})
