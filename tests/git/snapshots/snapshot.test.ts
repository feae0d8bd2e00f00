import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rename, utimes } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { git, makeRepository, openRepository, temporaryDir } from '../repository.ts'

const treeList = (repository: { git(...args: string[]): string }, tree: string) =>
  repository.git('-c', 'core.quotepath=off', 'ls-tree', '-r', '--name-only', tree).split('\n')

it('holds what is staged, changed, deleted and untracked, not what is ignored, and touches nothing', async () => {
  const project = await makeRepository({
    '.gitignore': '*.log\n',
    'kept.txt': 'kept\n',
    'changed.txt': 'old\n',
    'deleted.txt': 'gone soon\n',
  })
  await project.write('changed.txt', 'new\n')
  await project.remove('deleted.txt')
  await project.write('staged.txt', 'staged\n')
  project.git('add', 'staged.txt')
  await project.write('staged.txt', 'staged, then changed\n')
  await project.write('new folder/ñandú "quoted" [x]*.txt', 'new\n')
  await project.write('build.log', 'ignored')
  const before = await project.account()

  const taken = await git.snapshot(project.dir)

  expect(taken).toMatchObject({ head: project.git('rev-parse', 'HEAD'), dirty: true, leftOut: [] })
  expect(treeList(project, taken.tree)).toEqual([
    '.gitignore',
    'changed.txt',
    'kept.txt',
    '"new folder/ñandú \\"quoted\\" [x]*.txt"',
    'staged.txt',
  ])
  expect(project.git('show', `${taken.tree}:staged.txt`)).toBe('staged, then changed')
  expect(project.git('show', `${taken.tree}:changed.txt`)).toBe('new')
  expect(await project.account()).toEqual(before)
})

it('is clean on a clean tree, and then commits nothing', async () => {
  const project = await makeRepository()
  const head = project.git('rev-parse', 'HEAD')
  await expect(git.commitSnapshot(project.dir)).resolves.toMatchObject({
    dirty: false,
    commit: head,
    tree: project.git('rev-parse', 'HEAD^{tree}'),
  })
})

it('keeps more than the user’s own limit for a pack holds', async () => {
  const project = await makeRepository()
  // The least that Git takes: two files that do not shrink need two packs.
  project.git('config', 'pack.packSizeLimit', '1m')
  for (const name of ['a.bin', 'b.bin']) await project.write(name, randomBytes(800_000))
  const { commit } = await git.commitSnapshot(project.dir)
  expect(treeList(project, commit)).toEqual(expect.arrayContaining(['a.bin', 'b.bin']))
})

it('commits a dirty tree on top of HEAD, by Shiplog, and moves no branch', async () => {
  const project = await makeRepository()
  const head = project.git('rev-parse', 'HEAD')
  await project.write('new.txt', 'new\n')
  const { commit } = await git.commitSnapshot(project.dir)
  expect(project.git('show', '-s', '--format=%P %an <%ae> %cn', commit)).toBe(
    `${head} Shiplog <shiplog@localhost> Shiplog`,
  )
  expect(project.git('rev-parse', 'HEAD')).toBe(head)
})

it('sees a change of the same size made in the same tick as the commit', async () => {
  const project = await makeRepository({ 'a.txt': 'aaaa' })
  const index = path.join(project.dir, '.git/index')
  const file = path.join(project.dir, 'a.txt')
  const tick = new Date(Date.now() - 10_000)
  await utimes(file, tick, tick)
  project.git('update-index', '--refresh')
  // As if file and index had been written in the same tick, and the file again before it ended.
  await project.write('a.txt', 'bbbb')
  await utimes(file, tick, tick)
  await utimes(index, tick, tick)
  project.git('config', 'core.trustctime', 'false')
  project.git('config', 'core.checkStat', 'minimal')
  const { tree } = await git.snapshot(project.dir)
  expect(project.git('show', `${tree}:a.txt`)).toBe('bbbb')
})

it('keeps exec bits, links and bytes as they are', async () => {
  const project = await makeRepository()
  await project.write('run.sh', '#!/bin/sh\n')
  await project.executable('run.sh')
  await project.link('link', 'run.sh')
  await project.write('data.bin', new Uint8Array([0, 255, 13, 10, 0]))
  const { tree } = await git.snapshot(project.dir)
  const modes = project.git('ls-tree', tree).split('\n')
  expect(modes.find((entry) => entry.endsWith('\trun.sh'))).toMatch(/^100755/)
  expect(modes.find((entry) => entry.endsWith('\tlink'))).toMatch(/^120000/)
  expect(project.git('cat-file', '-s', `${tree}:data.bin`)).toBe('5')
})

it('takes a file that became a folder, and a folder that became a file', async () => {
  const project = await makeRepository({ file: 'x', 'folder/a': 'a' })
  await project.remove('file')
  await project.write('file/inside', 'x')
  await project.remove('folder')
  await project.write('folder', 'now a file')
  const { tree } = await git.snapshot(project.dir)
  expect(treeList(project, tree)).toEqual(['file/inside', 'folder'])
})

it('works in the middle of a conflicted merge', async () => {
  const project = await makeRepository({ 'a.txt': 'base\n' })
  project.git('checkout', '--quiet', '-b', 'other')
  await project.write('a.txt', 'other\n')
  project.commit('Other')
  project.git('checkout', '--quiet', 'main')
  await project.write('a.txt', 'main\n')
  project.commit('Main')
  expect(() => project.git('merge', 'other')).toThrow()
  const before = await project.account()
  const { tree } = await git.snapshot(project.dir)
  expect(project.git('show', `${tree}:a.txt`)).toContain('<<<<<<<')
  expect(await project.account()).toEqual(before)
})

it('takes a file that the index has both as merged and in conflict', async () => {
  const repository = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const entries = ['a.txt', 'b.txt'].map(
    (name) => `100644 ${repository.git('rev-parse', 'HEAD:c.txt')} 3\t${name}\n`,
  )
  execFileSync('git', ['update-index', '--index-info'], {
    cwd: repository.dir,
    input: entries.join(''),
  })
  await repository.write('b.txt', 'changed\n')
  const { tree } = await git.snapshot(repository.dir)
  expect(repository.git('show', `${tree}:a.txt`)).toBe('a')
  expect(repository.git('show', `${tree}:b.txt`)).toBe('changed')
})

it('takes a file in conflict that is as the only side has it', async () => {
  const project = await makeRepository({ 'a.txt': 'ours\n' })
  const blob = project.git('rev-parse', 'HEAD:a.txt')
  project.git('rm', '--quiet', '--cached', 'a.txt')
  execFileSync('git', ['update-index', '--index-info'], {
    cwd: project.dir,
    input: `100644 ${blob} 2\ta.txt\n`,
  })

  const { tree, dirty } = await git.snapshot(project.dir)
  expect(project.git('ls-tree', '-r', tree)).toBe(`100644 blob ${blob}\ta.txt`)
  expect(dirty).toBe(false)
})

it('leaves out a repository inside the working tree, and says so', async () => {
  const project = await makeRepository()
  await project.write('inner/file.txt', 'x')
  const inner = openRepository(path.join(project.dir, 'inner'))
  inner.git('init', '--quiet')
  const taken = await git.snapshot(project.dir)
  expect(taken).toMatchObject({ dirty: false, leftOut: ['inner/'] })
})

it('records a submodule as the commit that is checked out in it', async () => {
  const library = await makeRepository({ 'lib.txt': '1\n' })
  const project = await makeRepository()
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib')
  project.commit('With a library')
  const inside = openRepository(path.join(project.dir, 'lib'))
  await inside.write('lib.txt', 'uncommitted\n')
  await expect(git.snapshot(project.dir)).resolves.toMatchObject({ dirty: false })
  inside.git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-qam', 'Two')
  const { tree, dirty } = await git.snapshot(project.dir)
  expect(dirty).toBe(true)
  expect(project.git('ls-tree', tree, 'lib')).toContain(inside.git('rev-parse', 'HEAD'))
})

it('works before the first commit, and from a folder below the root', async () => {
  const repository = openRepository(await temporaryDir())
  repository.git('init', '--quiet')
  await repository.write('deep/down/a.txt', 'a')
  const taken = await git.commitSnapshot(path.join(repository.dir, 'deep/down'))
  expect(taken).toMatchObject({ head: null, dirty: true })
  expect(treeList(repository, taken.commit)).toEqual(['deep/down/a.txt'])
  expect(repository.git('show', '-s', '--format=%P', taken.commit)).toBe('')
})

it('is not refused by core.safecrlf, and normalises line endings', async () => {
  const project = await makeRepository()
  project.git('config', 'core.autocrlf', 'true')
  project.git('config', 'core.safecrlf', 'true')
  await project.write('dos.txt', 'a\r\nb\r\n')
  await project.write('mixed.txt', 'a\r\nb\n')
  const { tree } = await git.snapshot(project.dir)
  expect(project.git('cat-file', '-s', `${tree}:dos.txt`)).toBe('4')
})

it('takes a snapshot where TMPDIR names a folder that is not there', async () => {
  const project = await makeRepository()
  vi.stubEnv('TMPDIR', path.join(project.dir, 'no-such-folder'))
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(git.snapshot(project.dir)).resolves.toMatchObject({ dirty: false })
})

it.skipIf(process.platform !== 'linux')(
  'sees a file renamed in case only where the repository says wrongly that the disk ignores case',
  async () => {
    const project = await makeRepository({ 'keep.txt': 'kept\n' })
    project.git('config', 'core.ignoreCase', 'true')
    await rename(path.join(project.dir, 'keep.txt'), path.join(project.dir, 'Keep.txt'))
    const { tree } = await git.snapshot(project.dir)
    expect(project.git('ls-tree', '--name-only', tree)).toBe('Keep.txt')
  },
)
