import { chmod, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeOldScratchDirs } from '../../../src/main/git/snapshots/scratch-dir.ts'
import { temporaryDir } from '../../harness.ts'

const dayMs = 24 * 60 * 60 * 1000
const nowMs = Date.now()
/** Larger than any process id. */
const gone = 2 ** 30

async function scratch(parent: string, name: string, ageMs: number): Promise<void> {
  const dir = join(parent, name)
  await mkdir(join(dir, 'files'), { recursive: true })
  await writeFile(join(dir, 'files', 'a.txt'), 'a')
  await age(dir, ageMs)
}

async function age(path: string, ageMs: number): Promise<void> {
  const at = new Date(nowMs - ageMs)
  await utimes(path, at, at)
}

it('removes temporary folders of killed processes after a day, and nothing else', async () => {
  const parent = await temporaryDir()
  await scratch(parent, `shiplog-git-${gone}-old123`, 2 * dayMs)
  await scratch(parent, `shiplog-git-${gone}-new123`, dayMs / 2)
  await scratch(parent, 'shiplog-git-notes', 2 * dayMs)
  await scratch(parent, `shiplog-git-${gone}-old123.bak`, 2 * dayMs)
  await writeFile(join(parent, `shiplog-git-${gone}-file12`), 'a file')
  await age(join(parent, `shiplog-git-${gone}-file12`), 2 * dayMs)

  expect(await removeOldScratchDirs(nowMs, [parent, join(parent, 'missing')])).toBe(1)
  expect((await readdir(parent)).sort()).toEqual([
    `shiplog-git-${gone}-file12`,
    `shiplog-git-${gone}-new123`,
    `shiplog-git-${gone}-old123.bak`,
    'shiplog-git-notes',
  ])
})

it('follows no link when it removes temporary folders', async () => {
  const parent = await temporaryDir()
  const elsewhere = await temporaryDir()
  await writeFile(join(elsewhere, 'mine.txt'), 'mine')
  await age(elsewhere, 2 * dayMs)
  await symlink(elsewhere, join(parent, `shiplog-git-${gone}-link12`))
  await scratch(parent, `shiplog-git-${gone}-old123`, 2 * dayMs)
  await symlink(elsewhere, join(parent, `shiplog-git-${gone}-old123`, 'inside'))
  await age(join(parent, `shiplog-git-${gone}-old123`), 2 * dayMs)

  expect(await removeOldScratchDirs(nowMs, [parent])).toBe(1)
  expect(await readdir(parent)).toEqual([`shiplog-git-${gone}-link12`])
  expect(await readdir(elsewhere)).toEqual(['mine.txt'])
})

it.skipIf(process.platform === 'win32')(
  'removes nothing where others could replace the folder meanwhile',
  async () => {
    const parent = await temporaryDir()
    await scratch(parent, `shiplog-git-${gone}-old123`, 2 * dayMs)
    await chmod(parent, 0o777)
    expect(await removeOldScratchDirs(nowMs, [parent])).toBe(0)
    await chmod(parent, 0o1777)
    expect(await removeOldScratchDirs(nowMs, [parent])).toBe(1)
  },
)
