import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'

it('finds a repository from its root and from a folder in it', async () => {
  const project = await makeRepository({ 'src/a.txt': 'a' })
  const expected = {
    kind: 'repository',
    topLevel: project.dir,
    branch: 'main',
    head: project.git('rev-parse', 'HEAD'),
  }
  await expect(git.inspectProject(project.dir)).resolves.toEqual(expected)
  await expect(git.inspectProject(path.join(project.dir, 'src'))).resolves.toEqual(expected)
})

it('takes a path with spaces and non-ASCII letters', async () => {
  const project = await makeRepository(undefined, { name: 'Ünïcode and spaces 日本' })
  await expect(git.inspectProject(project.dir)).resolves.toMatchObject({
    kind: 'repository',
    topLevel: project.dir,
  })
})

it('recognizes folders that are no usable repository', async () => {
  const dir = await temporaryDir()
  const file = path.join(dir, 'file.txt')
  await writeFile(file, '')
  const bare = path.join(dir, 'bare.git')
  const empty = path.join(dir, 'empty')
  await mkdir(bare)
  await mkdir(empty)
  openRepository(bare).git('init', '--quiet', '--bare')
  openRepository(empty).git('init', '--quiet', '--initial-branch=trunk')

  await expect(git.inspectProject(dir)).resolves.toEqual({ kind: 'not-a-repository' })
  await expect(git.inspectProject(file)).resolves.toEqual({ kind: 'not-a-directory' })
  await expect(git.inspectProject(path.join(dir, 'none'))).resolves.toEqual({ kind: 'missing' })
  await expect(git.inspectProject(bare)).resolves.toEqual({ kind: 'bare' })
  await expect(git.inspectProject(path.join(empty, '.git'))).resolves.toEqual({
    kind: 'not-a-repository',
  })
  await expect(git.inspectProject(empty)).resolves.toEqual({
    kind: 'no-commits',
    topLevel: empty,
    branch: 'trunk',
  })
})

it("hands on Git's advice about a folder that belongs to somebody else", async () => {
  const project = await makeRepository()
  const gitPath = path.join(project.dir, '..', 'git')
  await writeFile(gitPath, '#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git "$@"\n')
  await chmod(gitPath, 0o755)
  const stranger = createGit({ gitPath, env: testEnv })
  await expect(stranger.inspectProject(project.dir)).resolves.toMatchObject({
    kind: 'dubious-ownership',
    advice: expect.stringContaining('safe.directory'),
  })
})

it('knows a detached HEAD', async () => {
  const project = await makeRepository()
  project.git('checkout', '--quiet', '--detach')
  await expect(git.currentBranch(project.dir)).resolves.toBeNull()
  await expect(git.inspectProject(project.dir)).resolves.toMatchObject({
    kind: 'repository',
    branch: null,
  })
})

it('keeps slashes in the name of a branch', async () => {
  const project = await makeRepository()
  project.git('checkout', '--quiet', '-b', 'shiplog/a/b')
  await expect(git.currentBranch(project.dir)).resolves.toBe('shiplog/a/b')
})

it('is clean until something is staged, changed or untracked; ignored files do not count', async () => {
  const project = await makeRepository({ '.gitignore': '*.log\n', 'a.txt': 'a' })
  await project.write('x.log', '')
  await expect(git.isClean(project.dir)).resolves.toBe(true)
  await project.write('new.txt', '')
  await expect(git.isClean(project.dir)).resolves.toBe(false)
  await project.remove('new.txt')
  await project.write('a.txt', 'b')
  await expect(git.isClean(project.dir)).resolves.toBe(false)
})

it('resolves names of commits and nothing else', async () => {
  const project = await makeRepository()
  const head = project.git('rev-parse', 'HEAD')
  await expect(git.resolveCommit(project.dir, 'main')).resolves.toBe(head)
  await expect(git.resolveCommit(project.dir, 'none')).resolves.toBeNull()
  await expect(git.resolveCommit(project.dir, '--all')).resolves.toBeNull()
  await expect(git.resolveCommit(project.dir, '0'.repeat(40))).resolves.toBeNull()
  await expect(git.resolveCommit(await temporaryDir(), 'main')).rejects.toMatchObject({
    kind: 'git',
  })
})
