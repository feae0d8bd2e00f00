/** A folder that is swapped for a link between the check of a path and its use. */
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { confine } from '../../../src/main/agents/tools/confined-path.ts'
import { assertNotMoved } from '../../../src/main/agents/tools/opened-file.ts'
import { readBytes } from '../../../src/main/agents/tools/text-file.ts'

async function swappedAfterCheck(file: string) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'shiplog-swap-')))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const work = join(base, 'work')
  const outside = join(base, 'outside')
  await mkdir(join(work, 'sub'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(work, 'sub', 'file.txt'), 'inside\n')
  await writeFile(join(outside, 'file.txt'), 'outside\n')
  const path = await confine(work, file)
  await assertNotMoved(path)
  await rename(join(work, 'sub'), join(work, 'away'))
  await symlink(outside, join(work, 'sub'))
  return { path, outside }
}

it('reads nothing through a folder that became a link since the path was checked', async () => {
  const { path } = await swappedAfterCheck('sub/file.txt')
  await expect(readBytes(path)).rejects.toThrow(/leads elsewhere since it was checked/)
})

it('writes nothing below a folder that became a link since the path was checked', async () => {
  const { path, outside } = await swappedAfterCheck('sub/deep/new.txt')
  await expect(assertNotMoved(path)).rejects.toThrow(/leads elsewhere since it was checked/)
  expect(await readdir(outside)).toEqual(['file.txt'])
})
