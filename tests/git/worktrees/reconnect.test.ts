/** A worktree and its repository find each other again after one of them, or both, was moved. */
import { readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'

async function moved() {
  const project = await makeRepository()
  const dir = await temporaryDir()
  const worktrees = path.join(dir, 'worktrees')
  const root = path.join(worktrees, 'lights', 'one')
  // As in the app: in these folders Git works only where they are worktrees.
  const git = createGit({ env: testEnv, worktrees: { dir: worktrees, ownerOf: () => null } })
  const from = project.git('rev-parse', 'HEAD')
  const branch = 'shiplog/work'
  await git.createWorktree({ repoDir: project.dir, path: root, branch, from })
  await openRepository(root).write('new.txt', 'new')
  const repoDir = path.join(dir, 'moved')
  const reconnect = (over: { root?: string; repoDir?: string } = {}) =>
    git.reconnectWorktree({ repoDir, root, branch, ...over })
  return { project, dir, root, repoDir, git, reconnect }
}

it('reconnects the remaining worktrees with a moved repository, once', async () => {
  const { project, root, repoDir, reconnect } = await moved()
  expect(await reconnect({ repoDir: project.dir })).toEqual({ kind: 'connected' })
  await rename(project.dir, repoDir)
  expect(await reconnect()).toEqual({ kind: 'reconnected' })
  expect(await reconnect()).toEqual({ kind: 'connected' })
  expect(openRepository(root).git('status', '--porcelain')).toBe('?? new.txt')
  expect(openRepository(repoDir).git('worktree', 'list')).toContain(root)
})

it('connects both when both were moved', async () => {
  const { project, dir, repoDir, git, reconnect } = await moved()
  await rename(project.dir, repoDir)
  const root = path.join(dir, 'worktrees', 'lamps', 'one')
  await rename(path.join(dir, 'worktrees', 'lights'), path.join(dir, 'worktrees', 'lamps'))
  expect(await reconnect({ root })).toEqual({ kind: 'reconnected' })
  expect(openRepository(root).git('status', '--porcelain')).toBe('?? new.txt')
  expect(await git.registeredWorktrees(repoDir)).toContain(root)
})

it('records the new location of a worktree that was moved alone', async () => {
  const { project, dir, root, git, reconnect } = await moved()
  const to = path.join(dir, 'worktrees', 'lamps', 'one')
  await rename(path.dirname(root), path.dirname(to))
  expect(await reconnect({ root: to, repoDir: project.dir })).toEqual({ kind: 'reconnected' })
  expect(await git.registeredWorktrees(project.dir)).toContain(to)
  expect(await reconnect({ root: to, repoDir: project.dir })).toEqual({ kind: 'connected' })
})

it('leaves a worktree alone that another repository has, or that the new one does not know', async () => {
  const { project, root, repoDir, reconnect } = await moved()
  const other = await makeRepository()
  const before = await readFile(path.join(root, '.git'), 'utf8')
  expect(await reconnect({ repoDir: other.dir })).toMatchObject({
    kind: 'unknown',
    why: expect.stringContaining('belongs to another repository'),
  })
  await rename(project.dir, repoDir)
  expect(await reconnect({ repoDir: other.dir })).toMatchObject({
    kind: 'unknown',
    why: expect.stringContaining('does not list'),
  })
  expect(await reconnect({ repoDir: path.join(repoDir, 'missing') })).toMatchObject({
    kind: 'unknown',
    why: expect.stringContaining('there is no repository'),
  })
  expect(await readFile(path.join(root, '.git'), 'utf8')).toBe(before)
})

it('reports one that became a separate repository', async () => {
  const { project, root, repoDir, reconnect } = await moved()
  await rename(project.dir, repoDir)
  await rm(path.join(root, '.git'))
  openRepository(root).git('init', '-q')
  expect(await reconnect()).toMatchObject({
    kind: 'unknown',
    why: expect.stringContaining('a repository of its own'),
  })
})

it('does not take over the repository’s entry of another missing worktree', async () => {
  const { project, dir, root, repoDir, reconnect } = await moved()
  // The user's own, on a drive that is unplugged.
  const beside = path.join(dir, 'beside')
  project.git('worktree', 'add', '-q', '-b', 'beside', beside)
  await rename(beside, `${beside}-away`)
  await rename(project.dir, repoDir)
  const note = path.join(repoDir, '.git/worktrees/beside/gitdir')
  const before = await readFile(note, 'utf8')
  // An agent can write this, and the repository lost its own note.
  await rm(path.join(repoDir, '.git/worktrees/one'), { recursive: true })
  await openRepository(root).write('.git', `gitdir: ${project.dir}/.git/worktrees/beside\n`)
  expect(await reconnect()).toMatchObject({ kind: 'unknown' })
  expect(await readFile(note, 'utf8')).toBe(before)
})
