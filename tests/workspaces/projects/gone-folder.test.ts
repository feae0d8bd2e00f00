/** A folder is gone only where the disk says so. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isGone } from '../../../src/main/workspaces/moved-projects/gone-folder.ts'
import { temporaryDir } from '../../harness.ts'

it('is gone if nothing or another file is there, but not if it can’t be examined', async () => {
  const dir = await temporaryDir()
  await writeFile(join(dir, 'file'), '')
  expect(await isGone(dir)).toBe(false)
  expect(await isGone(join(dir, 'missing'))).toBe(true)
  expect(await isGone(join(dir, 'file'))).toBe(true)
  expect(await isGone(join(dir, 'file', 'below'))).toBe(true)
  // The disk refuses: a name that is too long, and a folder that is closed to others than root.
  expect(await isGone(join(dir, 'x'.repeat(5000)))).toBe(false)
  const closed = join(dir, 'closed')
  await mkdir(join(closed, 'project'), { recursive: true })
  await chmod(closed, 0)
  expect(await isGone(join(closed, 'project'))).toBe(false)
  await chmod(closed, 0o700)
})
