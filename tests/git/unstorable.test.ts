/** What no index can hold is left out, and does not keep Shiplog from storing the rest (H4, R5). */
import { execFileSync } from 'node:child_process'
import { chmod, lchown, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { GitError } from '../../src/main/git/command/errors.ts'
import { openStates } from '../turn-store/states.ts'
import { git, makeRepository } from './repository.ts'

const pipe = (dir: string, name: string) => execFileSync('mkfifo', [path.join(dir, name)])

it('[H4] stores the rest where a pipe is in the place of a tracked file, and names it', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await rm(path.join(project.dir, 'a.txt'))
  pipe(project.dir, 'a.txt')
  pipe(project.dir, 'untracked')
  await project.write('b.txt', 'changed\n')
  const { tree } = await git.snapshot(project.dir)
  expect(project.git('show', `${tree}:b.txt`)).toBe('changed')
  expect(project.git('show', `${tree}:a.txt`)).toBe('a')
  expect(await git.notInSnapshot(project.dir)).toEqual(['a.txt'])
})

it('[H1][H4] takes the state of each turn beside it, and is exact again once it is gone', async () => {
  const { project, take } = await openStates({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await rm(path.join(project.dir, 'a.txt'))
  pipe(project.dir, 'a.txt')
  await project.write('b.txt', 'changed\n')
  const beside = await take()
  expect(beside.notStored).toEqual([{ path: 'a.txt', why: 'special', bytes: null }])
  await project.write('c.txt', 'c\n')
  expect(await take()).toMatchObject({ notStored: [{ path: 'a.txt' }] })
  await rm(path.join(project.dir, 'a.txt'))
  await project.write('a.txt', 'new\n')
  const after = await take()
  expect(after.notStored).toEqual([])
  expect(after.tree).not.toBe(beside.tree)
})

it('[H4] names a file that may not be read, and stores it once it may', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  await project.write('secret.txt', 'secret\n')
  await project.write('open.txt', 'open\n')
  await chmod(path.join(project.dir, 'secret.txt'), 0)
  await chmod(path.join(project.dir, 'a.txt'), 0)
  // Root may read all of it.
  await asNobody(path.dirname(project.dir))
  const listOf = (tree: string) => project.git('ls-tree', '--name-only', tree).split('\n')
  expect(listOf((await git.commitSnapshot(project.dir)).commit)).toEqual(['a.txt', 'open.txt'])
  expect((await git.notInSnapshot(project.dir)).sort()).toEqual(['a.txt', 'secret.txt'])
  for (const name of ['a.txt', 'secret.txt']) await chmod(path.join(project.dir, name), 0o600)
  expect(await git.notInSnapshot(project.dir)).toEqual([])
  const { commit } = await git.commitSnapshot(project.dir)
  expect(listOf(commit)).toEqual(['a.txt', 'open.txt', 'secret.txt'])
})

it('passes on what prevents it otherwise, such as missing objects', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  await project.write('a.txt', 'new\n')
  const objects = path.join(project.dir, '.git/objects')
  await rm(objects, { recursive: true })
  await expect(git.snapshot(project.dir)).rejects.toThrow(GitError)
  expect(await readdir(project.dir)).toContain('a.txt')
})

/** Makes the rest of the test run as a user that owns only this folder. */
async function asNobody(dir: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const nobody = 65534
  for (const name of ['.', ...(await readdir(dir, { recursive: true }))])
    await lchown(path.join(dir, name), nobody, nobody)
  process.seteuid?.(nobody)
  onTestFinished(() => void process.seteuid?.(0))
}
