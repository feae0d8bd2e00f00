import { rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { mapConcurrently } from '../../src/main/git/index.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { isSoak } from '../crash/effort.ts'
import { openRepository, temporaryDir } from '../git/repository.ts'
import { itInSoak } from '../soak.ts'
import { openStates, packsIn, textOf } from './states.ts'

const bytesMax = 1024 * 1024

it('[H1] stores each state of a working tree as a readable tree, with uncommitted and untracked files', async () => {
  const { project, take, turns } = await openStates()
  await project.write('a.txt', 'changed\n')
  await project.write('new/c.txt', 'three\n')
  const first = await take()
  await project.remove('deep/b.txt')
  const second = await take()
  const names = async (tree: string) => (await turns.readTree(tree)).map((file) => file.path)
  expect(await names(first.tree)).toEqual(['a.txt', 'deep/b.txt', 'new/c.txt'])
  expect(await names(second.tree)).toEqual(['a.txt', 'new/c.txt'])
  const read = (file: string) => turns.readFile({ tree: first.tree, path: file, bytesMax })
  expect(textOf(await read('a.txt'))).toBe('changed\n')
  expect(textOf(await read('deep/b.txt'))).toBe('two\n')
  expect(await read('gone.txt')).toBeNull()
  const { files } = await turns.diff({ from: first.tree, to: second.tree })
  expect(files).toMatchObject([{ path: 'deep/b.txt', change: 'deleted' }])
  expect(await turns.missing([first.tree, second.tree, '0'.repeat(40)])).toEqual(['0'.repeat(40)])
})

it('[H2] leaves nothing in the user’s repository: no object, no reference, no index', async () => {
  const states = await openStates()
  await states.project.write('a.txt', 'changed\n')
  await states.project.write('new.txt', 'new\n')
  const before = { objects: states.theirs(), account: await states.project.account() }
  await states.take()
  await states.project.write('new.txt', 'newer\n')
  await states.take()
  await states.project.write('new.txt', 'new\n')
  expect({ objects: states.theirs(), account: await states.project.account() }).toEqual(before)
})

it('[H1] recognizes an unchanged tree, and writes nothing for it', async () => {
  const { project, take, store, turns, taskId, inStore } = await openStates()
  await project.write('a.txt', 'changed\n')
  const first = await take()
  const packs = await packsIn(store)
  const again = await turns.snapshot({
    taskId,
    dir: project.dir,
    last: first,
    since: null,
    base: null,
  })
  expect(again).toEqual(first)
  expect(await packsIn(store)).toEqual(packs)
  await project.write('a.txt', 'other\n')
  const second = await take()
  await project.write('a.txt', 'changed\n')
  expect((await take()).tree).toBe(first.tree)
  const chain = inStore('log', '--format=%T', `refs/sessions/${taskId}`).split('\n')
  expect(chain).toEqual([first.tree, second.tree, first.tree])
})

it.each([
  ['git gc --prune=now', (run: (...args: string[]) => string) => run('gc', '-q', '--prune=now')],
  [
    'a rebase, then gc',
    (run: (...args: string[]) => string) => {
      run('checkout', '-q', '--orphan', 'other')
      run('commit', '-q', '--allow-empty', '-m', 'rewritten')
      run('branch', '-q', '-D', 'main', 'work')
      run('reflog', 'expire', '--expire=now', '--all')
      run('gc', '-q', '--prune=now')
    },
  ],
])('[H3] keeps what an agent committed itself through %s', async (_, happen) => {
  const { project, take, turns } = await openStates()
  const { tree: before } = await take()
  project.git('checkout', '-q', '-b', 'work')
  await project.write('a.txt', 'by the agent\n')
  await project.write('deep/new.txt', 'new\n')
  project.commit('work')
  const { tree } = await take({ since: before })
  happen(project.git)
  const read = (file: string) => turns.readFile({ tree, path: file, bytesMax })
  expect(textOf(await read('a.txt'))).toBe('by the agent\n')
  expect(textOf(await read('deep/new.txt'))).toBe('new\n')
})

it('[H3] keeps the content of changed files, and the names of all, after the repository was deleted', async () => {
  const { project, take, turns } = await openStates()
  const { tree: before } = await take()
  await project.write('a.txt', 'staged\n')
  project.git('add', 'a.txt')
  const { tree: staged } = await take({ since: before })
  project.commit('work')
  await project.write('deep/new.txt', 'untracked\n')
  const { tree: last } = await take({ since: staged })
  await rm(project.dir, { recursive: true })
  const names = (await turns.readTree(last)).map((file) => file.path)
  expect(names).toEqual(['a.txt', 'deep/b.txt', 'deep/new.txt'])
  const read = (tree: string, file: string) => turns.readFile({ tree, path: file, bytesMax })
  expect(textOf(await read(staged, 'a.txt'))).toBe('staged\n')
  expect(textOf(await read(last, 'deep/new.txt'))).toBe('untracked\n')
  // Not changed by anybody: only the repository had it.
  expect(await read(last, 'deep/b.txt')).toBeNull()
  expect((await turns.diff({ from: staged, to: last })).files).toMatchObject([
    { path: 'deep/new.txt', change: 'added' },
  ])
})

itInSoak(
  '[H3] keeps the commits that were made in a worktree when its branch is deleted',
  async () => {
    const { project, take, git, store, inStore, taskId } = await openStates()
    const base = project.git('rev-parse', 'HEAD')
    const dir = path.join(await temporaryDir(), 'worktree')
    await git.createWorktree({ repoDir: project.dir, path: dir, branch: 'work', from: base })
    const worktree = openRepository(dir)
    await worktree.write('a.txt', 'committed\n')
    const head = worktree.commit('by the agent')
    // Below the project: which store it is, is known by the folder.
    await take({ dir: project.dir })
    await git.stores.take({
      dir: project.dir,
      ref: `sessions/${taskId}`,
      last: null,
      since: base,
      commits: { base, ref: `commits/${taskId}` },
    })
    project.git('merge', '-q', '--ff-only', 'work')
    await take({ base })
    await git.removeWorktree({ repoDir: project.dir, path: dir, branch: 'work' })
    project.git('reset', '-q', '--hard', base)
    project.git('reflog', 'expire', '--expire=now', '--all')
    project.git('gc', '-q', '--prune=now')
    expect(() => project.git('cat-file', '-e', head)).toThrow()
    expect(inStore('rev-parse', `refs/commits/${taskId}`)).toBe(head)
    expect(store).toContain('turn-store')
    const again = path.join(await temporaryDir(), 'again')
    await git.restoreWorktree({
      repoDir: project.dir,
      path: again,
      branch: 'work',
      head,
      final: head,
    })
    expect(project.git('rev-parse', 'work')).toBe(head)
    expect(await openRepository(again).read('a.txt')).toBe('committed\n')
    project.git('fsck', '--strict')
  },
)

it('[H4] stores no ignored file, even if it is ignored only later', async () => {
  const { project, take, turns } = await openStates({ 'a.txt': 'a\n', '.gitignore': '*.log\n' })
  await project.write('out.log', 'ignored\n')
  await project.write('out.tmp', 'not yet\n')
  const names = async (tree: string) => (await turns.readTree(tree)).map((file) => file.path)
  expect(await names((await take()).tree)).toEqual(['.gitignore', 'a.txt', 'out.tmp'])
  await project.write('.gitignore', '*.log\n*.tmp\n')
  expect(await names((await take()).tree)).toEqual(['.gitignore', 'a.txt'])
  await project.write('.git/info/exclude', 'private\n')
  await project.write('private', 'mine\n')
  expect(await names((await take()).tree)).toEqual(['.gitignore', 'a.txt'])
})

it('[H4] names untracked files that are too large, and does not store them', async () => {
  const { project, take, turns } = await openStates()
  const large = Buffer.alloc(33 * 1024 * 1024)
  await project.write('dump.bin', large)
  await project.write('small.txt', 'small\n')
  const first = await take()
  expect(first.notStored).toEqual([{ path: 'dump.bin', why: 'file-bytes', bytes: large.length }])
  expect((await turns.readTree(first.tree)).map((file) => file.path)).toEqual([
    'a.txt',
    'deep/b.txt',
    'small.txt',
  ])
  // One that grows leaves; a tracked one stays, whatever its size.
  await project.write('small.txt', large)
  await project.write('a.txt', large)
  const second = await take()
  expect(second.notStored.map((one) => one.path).sort()).toEqual(['dump.bin', 'small.txt'])
  expect((await turns.readTree(second.tree)).map((file) => file.path)).toEqual([
    'a.txt',
    'deep/b.txt',
  ])
  await project.write('small.txt', 'small again\n')
  expect((await take()).notStored.map((one) => one.path)).toEqual(['dump.bin'])
})

itInSoak(
  '[H4] names an untracked folder with too many files, and a repository inside',
  async () => {
    const { project, take, turns } = await openStates()
    // The names of a million are more than is listed at once.
    const names = Array.from({ length: 1_000_000 }, (_, n) => `cache/${n % 500}/${n}`)
    await mapConcurrently(names, (name) => project.write(name, name))
    await project.write('own/kept.txt', 'kept\n')
    project.git('init', '-q', 'inner')
    await project.write('inner/x.txt', 'x\n')
    const { tree, notStored } = await take()
    expect(notStored).toEqual([
      { path: 'cache', why: 'folder-files', bytes: isSoak ? null : expect.any(Number) },
      { path: 'inner', why: 'repository', bytes: null },
    ])
    expect((await turns.readTree(tree)).map((file) => file.path)).toEqual([
      'a.txt',
      'deep/b.txt',
      'own/kept.txt',
    ])
  },
  1_800_000,
)

it('[H4] refuses a home directory, and its parents', async () => {
  const { project, take } = await openStates()
  const home = process.env.HOME
  process.env.HOME = path.join(project.dir, 'deep')
  try {
    await expect(take()).rejects.toThrow('home directory')
  } finally {
    process.env.HOME = home
  }
})

it('detects a change with the size and time of its index, and one by a commit', async () => {
  const { project, take, turns } = await openStates({ 'a.txt': 'aaa\n' })
  await take()
  const file = path.join(project.dir, 'a.txt')
  const { atime, mtime } = await stat(file)
  await project.write('a.txt', 'bbb\n')
  await utimes(file, atime, mtime)
  const { tree } = await take()
  expect(textOf(await turns.readFile({ tree, path: 'a.txt', bytesMax }))).toBe('bbb\n')
  project.commit('b')
  await project.write('a.txt', 'ccc\n')
  const { tree: next } = await take()
  expect(textOf(await turns.readFile({ tree: next, path: 'a.txt', bytesMax }))).toBe('ccc\n')
})

it('separates the sessions of agents that share a folder', async () => {
  const { project, take, inStore, taskId } = await openStates()
  const other = newTaskId()
  await project.write('a.txt', 'first\n')
  const states = await Promise.all([take(), take({ taskId: other })])
  await project.write('a.txt', 'second\n')
  const later = await take({ taskId: other })
  expect(states[0]?.tree).toBe(states[1]?.tree)
  expect(inStore('log', '--format=%T', `refs/sessions/${taskId}`)).toBe(states[0]?.tree)
  expect(inStore('log', '--format=%T', `refs/sessions/${other}`)).toBe(
    [later.tree, states[0]?.tree].join('\n'),
  )
})

it('[H4] deletes objects that only dropped sessions use', async () => {
  const { project, take, turns, taskId, inStore } = await openStates()
  const other = newTaskId()
  await project.write('shared.txt', 'of both\n')
  await project.write('secret.txt', 'only of the first\n')
  const first = await take()
  const secret = project.git('hash-object', 'secret.txt')
  await project.remove('secret.txt')
  const second = await take({ taskId: other })
  await turns.drop([taskId])
  expect(await turns.missing([first.tree, second.tree])).toEqual([first.tree])
  const all = inStore('cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
  expect(all).not.toContain(secret)
  expect(all.split('\n').length).toBeLessThan(10)
  const read = (file: string) => turns.readFile({ tree: second.tree, path: file, bytesMax })
  expect(textOf(await read('shared.txt'))).toBe('of both\n')
  // The index was made before: what went is written again.
  await project.write('secret.txt', 'only of the first\n')
  expect((await take()).tree).toBe(first.tree)
  expect(await turns.missing([first.tree])).toEqual([])
  const again = { tree: first.tree, path: 'secret.txt', bytesMax }
  expect(textOf(await turns.readFile(again))).toBe('only of the first\n')
})

itInSoak(
  'makes few packs of many states, and reads all of them',
  async () => {
    const { project, take, turns, store } = await openStates()
    const trees: string[] = []
    for (let n = 0; n < 60; n++) {
      await project.write('a.txt', `state ${n}\n`)
      trees.push((await take()).tree)
    }
    expect((await packsIn(store)).length).toBeLessThan(45)
    for (const n of [0, 41, 59]) {
      const read = await turns.readFile({ tree: trees[n] ?? '', path: 'a.txt', bytesMax })
      expect(textOf(read)).toBe(`state ${n}\n`)
    }
  },
  120_000,
)
