/** States of working trees that are not plain files in a plain repository. */
import { execFileSync } from 'node:child_process'
import { readdir, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit, mapConcurrently } from '../../src/main/git/index.ts'
import { isSoak } from '../crash/effort.ts'
import { makeRepository, openRepository, temporaryDir, testEnv } from '../git/repository.ts'
import { openStates, statesOf, textOf } from './states.ts'

const bytesMax = 1024 * 1024

it('needs no Git identity, and no first commit', async () => {
  const dir = await temporaryDir()
  const project = openRepository(dir)
  project.git('init', '-q', '-b', 'main')
  await project.write('a.txt', 'a\n')
  const { take, turns } = await statesOf(project)
  const { tree, head } = await take()
  expect(head).toBeNull()
  expect(textOf(await turns.readFile({ tree, path: 'a.txt', bytesMax }))).toBe('a\n')
})

it('stores the filtered content of a file, such as a pointer of Git LFS', async () => {
  const { project, take, turns } = await openStates({ '.gitattributes': '*.bin filter=large\n' })
  const config = path.join(await temporaryDir(), 'config')
  // The user's own configuration: its filters run.
  await writeFile(config, '[filter "large"]\n\tclean = sed s/.*/pointer/\n\tsmudge = cat\n')
  await project.write('.git/config', '[core]\n\trepositoryformatversion = 0\n')
  await project.write('large.bin', 'large\n')
  const { tree } = await take()
  expect(textOf(await turns.readFile({ tree, path: 'large.bin', bytesMax }))).toBe('large\n')
  const env = { ...testEnv, GIT_CONFIG_GLOBAL: config }
  const store = path.join(await temporaryDir(), 'store')
  const git = createGit({ env, storesOf: () => [store] })
  const filtered = await git.stores.take({
    dir: project.dir,
    ref: 'sessions/one',
    last: null,
    since: null,
    commits: { base: null, ref: 'commits/one' },
  })
  const place = { store, repoDir: project.dir }
  const pointer = await git.stores.read(place, { tree: filtered.tree, path: 'large.bin', bytesMax })
  expect(textOf(pointer)).toBe('pointer\n')
})

it('deletes no index of a new state while those of an earlier process are deleted', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const worktree = path.join(await temporaryDir(), 'worktree')
  project.git('worktree', 'add', '-q', worktree)
  const store = path.join(await temporaryDir(), 'store')
  const dirs = [project.dir, worktree]
  const takeAll = async (text: string) => {
    const { stores } = createGit({ env: testEnv, storesOf: () => [store] })
    for (const dir of dirs) await writeFile(path.join(dir, 'b.txt'), text)
    return Promise.all(
      dirs.map((dir, at) => {
        const names = { ref: `sessions/${at}`, commits: { base: null, ref: `commits/${at}` } }
        return stores.take({ dir, last: null, since: null, ...names })
      }),
    )
  }
  const [before] = await takeAll('b\n')
  const indexes = path.join(store, 'indexes')
  // They are deleted one after another: this takes longer than a state.
  const others = Array.from({ length: 1_500 }, (_, at) => path.join(indexes, String(at)))
  await mapConcurrently(others, (file) => writeFile(file, ''))
  const [here, there] = await takeAll('c\n')
  expect(here?.tree).toBe(there?.tree)
  expect(here?.tree).not.toBe(before?.tree)
  expect(await readdir(indexes)).toHaveLength(dirs.length)
})

it('keeps a file that Git packs at once because it is large', async () => {
  const { project, take, turns } = await openStates()
  project.git('config', 'core.bigFileThreshold', '1')
  await project.write('large.txt', 'large\n')
  const { tree } = await take()
  expect(textOf(await turns.readFile({ tree, path: 'large.txt', bytesMax }))).toBe('large\n')
})

it('names the commit of a submodule, and stores none of its files', async () => {
  const inner = await makeRepository({ 'inner.txt': 'inner\n' })
  const { project, take, turns } = await openStates()
  const allow = ['-c', 'protocol.file.allow=always']
  project.git(...allow, 'submodule', '--quiet', 'add', inner.dir, 'sub')
  project.commit('with a submodule')
  await project.write('sub/new.txt', 'not committed\n')
  const { tree } = await take()
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: inner.dir, encoding: 'utf8' })
  expect(await turns.readTree(tree)).toContainEqual({
    path: 'sub',
    mode: '160000',
    id: commit.trim(),
  })
  expect((await turns.readTree(tree)).some((file) => file.path.startsWith('sub/'))).toBe(false)
})

it('works in a repository of SHA-256', async () => {
  const dir = await temporaryDir()
  const project = openRepository(dir)
  project.git('init', '-q', '-b', 'main', '--object-format=sha256')
  project.git('config', 'user.name', 'Test')
  project.git('config', 'user.email', 'test@localhost')
  await project.write('a.txt', 'a\n')
  project.commit('first')
  await project.write('a.txt', 'b\n')
  const { take, turns } = await statesOf(project)
  const { tree } = await take()
  expect(tree).toHaveLength(64)
  expect(textOf(await turns.readFile({ tree, path: 'a.txt', bytesMax }))).toBe('b\n')
})

it('keeps CRLF as committed if Git is configured to change line endings', async () => {
  const { project, take, turns } = await openStates({ 'crlf.txt': 'one\r\ntwo\r\n' })
  project.git('config', 'core.autocrlf', 'input')
  await project.write('crlf.txt', 'one\r\nthree\r\n')
  const { tree } = await take()
  const read = await turns.readFile({ tree, path: 'crlf.txt', bytesMax })
  expect(textOf(read)).toBe('one\r\nthree\r\n')
})

it(`[H4] passes over ${isSoak ? 'a million' : 'some'} ignored files and a huge untracked one`, async () => {
  const count = isSoak ? 1_000_000 : 300
  const { project, take, turns } = await openStates({ '.gitignore': 'cache/\n', 'a.txt': 'a\n' })
  const names = Array.from({ length: count }, (_, n) => `cache/${n % 1000}/${n}`)
  await mapConcurrently(names, (name) => project.write(name, ''))
  await project.write('dump.bin', '')
  // Without blocks on the disk, and two gigabytes long.
  const bytes = 2 * 1024 ** 3
  await truncate(path.join(project.dir, 'dump.bin'), bytes)
  const { tree, notStored } = await take()
  expect(notStored).toEqual([{ path: 'dump.bin', why: 'file-bytes', bytes }])
  expect((await turns.readTree(tree)).map((file) => file.path)).toEqual(['.gitignore', 'a.txt'])
}, 1_800_000)
