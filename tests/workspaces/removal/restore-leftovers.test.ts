/** Leftovers of a worktree are moved from the trash back into it. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { restoreInto } from '../../../src/main/workspaces/leftovers/restore-leftovers.ts'
import { record } from '../../crash/fault-fs/record.ts'
import { temporaryDir, writeFiles } from '../../harness.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'

it.runIf(process.platform === 'linux')(
  '[R3] brings no file back from behind a link that replaces a folder of the trash',
  async () => {
    for (let at = 1, swapped = true; swapped; at++) {
      const dir = await temporaryDir()
      const [worktree, trash] = [join(dir, 'worktree'), join(dir, 'trash')]
      await writeFiles(worktree, { 'a/b/there': 'x' })
      await writeFiles(trash, { 'a/b/c': 'left', 'a/d': 'left', e: 'left' })
      const outside = join(dir, 'outside')
      await writeFiles(outside, { 'b/c': 'mine', d: 'mine' })
      await mkdir(join(outside, 'empty'))
      swapped = false
      const recording = record(dir, {
        inject({ n }) {
          if (n !== at) return null
          swapped = true
          // A program that was in the worktree, which the recording does not see.
          const swap = 'if [ -d a ]; then mv a ../aside; ln -s ../outside a; fi'
          execFileSync('sh', ['-c', swap], { cwd: existsSync(trash) ? trash : dir })
          return null
        },
      })
      onTestFinished(() => void recording.stop())
      await restoreInto(worktree, trash, async () => false).catch(() => undefined)
      recording.stop()
      const after = (await readdir(outside, { recursive: true })).sort()
      expect(after, `before call ${at}`).toEqual(['b', 'b/c', 'd', 'empty'])
    }
  },
)

it('[R6] brings the others back where one can’t be moved', async () => {
  const dir = await temporaryDir()
  const [worktree, trash] = [join(dir, 'worktree'), join(dir, 'trash')]
  await writeFiles(worktree, { b: 'of the commit' })
  await writeFiles(trash, { a: 'a', b: 'later', c: 'c' })
  const outcome = await restoreInto(worktree, trash, () => Promise.reject(new Error('no access')))
  expect(outcome.placed.map(String).sort()).toEqual(['a', 'c'])
  expect(outcome.stayed).toEqual(['b (no access)'])
})

it('[R6] says why one can’t be moved, without the path of an open folder', async () => {
  const dir = await temporaryDir()
  const [worktree, trash] = [join(dir, 'worktree'), join(dir, 'trash')]
  await writeFiles(worktree, { b: 'b' })
  await writeFiles(trash, { a: 'a' })
  asUnprivilegedUser(dir)
  await chmod(worktree, 0o500)
  const { stayed } = await restoreInto(worktree, trash, async () => true)
  await chmod(worktree, 0o700)
  expect(stayed).toEqual(['a (permission denied (EACCES); check who owns the file and its folder)'])
})

it('[R6] replaces only files that are as they were checked out', async () => {
  const dir = await temporaryDir()
  const [worktree, trash] = [join(dir, 'worktree'), join(dir, 'trash')]
  await writeFiles(worktree, { 'a/same': 'of the commit', 'a/mine': 'mine', file: 'of the commit' })
  await writeFiles(trash, { 'a/same': 'later', 'a/mine': 'older', 'a/new': 'new', 'file/x': 'x' })
  const asked: string[] = []
  const outcome = await restoreInto(worktree, trash, async (path) => {
    asked.push(`${path}`)
    return `${path}` !== 'a/mine'
  })
  expect(outcome.placed.map(String).sort()).toEqual(['a/new', 'a/same'])
  expect(outcome.stayed.sort()).toEqual(['a/mine', 'file'])
  expect(asked.sort()).toEqual(['a/mine', 'a/same'])
  expect(await readFile(join(worktree, 'a/same'), 'utf8')).toBe('later')
  expect(await readFile(join(worktree, 'a/mine'), 'utf8')).toBe('mine')
  expect(await readFile(join(worktree, 'file'), 'utf8')).toBe('of the commit')
  expect(await readFile(join(trash, 'a/mine'), 'utf8')).toBe('older')
})

it.runIf(process.platform === 'linux')(
  '[R6] restores nothing through a link that replaces a folder meanwhile',
  async () => {
    const dir = await temporaryDir()
    const [worktree, trash] = [join(dir, 'worktree'), join(dir, 'trash')]
    const outside = join(dir, 'outside')
    await writeFiles(worktree, { 'a/same': 'of the commit' })
    await writeFiles(trash, { 'a/same': 'later', 'a/new': 'new' })
    await writeFiles(outside, { same: 'of the user' })
    await restoreInto(worktree, trash, async () => {
      await rename(join(worktree, 'a'), join(worktree, 'moved'))
      await symlink(outside, join(worktree, 'a'))
      return true
    })
    expect(await readdir(outside)).toEqual(['same'])
    expect(await readFile(join(outside, 'same'), 'utf8')).toBe('of the user')
  },
)
