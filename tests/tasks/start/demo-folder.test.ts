/** Where the demo's project can be made. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFixture } from '../../harness.ts'

it('makes the folder of the demo with its parents', async () => {
  const fixture = await openFixture()
  const dir = join(fixture.dir, 'new', 'demo')
  await fixture.shiplog.client.projects.startDemo({ dir })
  expect(existsSync(join(dir, '.git'))).toBe(true)
})

it.skipIf(process.platform !== 'linux')('refuses a folder that nobody can make', async () => {
  const { client } = (await openFixture()).shiplog
  // Node's `mkdir` with `recursive` never ends there.
  await expect(client.projects.startDemo({ dir: '/proc/demo' })).rejects.toThrow('/proc/demo')
})
