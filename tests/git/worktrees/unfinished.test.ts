/** What only Git's folder of a worktree names is kept when the worktree is removed. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { git, makeRepository, openRepository, temporaryDir } from '../repository.ts'

const taskId = newTaskId()
const kept = `refs/shiplog/unfinished/${taskId}`

/** A worktree with a commit of its own, and a clone with two commits that the repository does not have. */
async function prepared() {
  const project = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const parent = await temporaryDir()
  const dir = path.join(parent, 'work')
  const from = project.git('rev-parse', 'HEAD')
  await git.createWorktree({ repoDir: project.dir, path: dir, branch: 'work', from })
  const work = openRepository(dir)
  await work.write('a.txt', 'ours\n')
  work.git('commit', '-qam', 'ours')
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  project.git('clone', '-q', ...identity, '.', path.join(parent, 'clone'))
  const clone = openRepository(path.join(parent, 'clone'))
  await clone.write('a.txt', 'theirs\n')
  clone.git('commit', '-qam', 'theirs')
  await clone.write('new.txt', 'new\n')
  clone.git('add', '-A')
  clone.git('commit', '-qm', 'more')

  /** Removes it, with all that nothing refers to. */
  async function remove() {
    const headCommit = work.git('rev-parse', 'HEAD')
    const finalCommit = (await git.commitSnapshot(dir)).commit
    const saved = { taskId, headCommit, finalCommit }
    const input = { repoDir: project.dir, path: dir, branch: 'work', branchAt: headCommit, saved }
    const removal = await git.removeWorktree(input)
    await rm(clone.dir, { recursive: true })
    project.git('reflog', 'expire', '--expire=now', '--all')
    project.git('gc', '-q', '--prune=now')
    return removal
  }
  return { project, work, clone, remove }
}

it('[R3] keeps the commits of an unfinished merge that were only fetched', async () => {
  const { project, work, clone, remove } = await prepared()
  work.git('fetch', '-q', clone.dir, 'HEAD')
  expect(() => work.git('merge', 'FETCH_HEAD')).toThrow()
  const { unfinished } = await remove()
  expect(unfinished?.commit).toBe(project.git('rev-parse', kept))
  expect(project.git('show', `${kept}^1:new.txt`)).toBe('new')
  expect(project.git('show', `${kept}:git/MERGE_HEAD`)).toBe(project.git('rev-parse', `${kept}^1`))
})

it('[R3] keeps the commits that an unfinished cherry-pick has not picked yet, which it abbreviates', async () => {
  const { project, work, clone, remove } = await prepared()
  work.git('fetch', '-q', clone.dir, 'HEAD')
  expect(() => work.git('cherry-pick', 'FETCH_HEAD~1', 'FETCH_HEAD')).toThrow()
  await remove()
  expect(project.git('log', '--format=%s', `${kept}^1`).split('\n').slice(0, 2)).toEqual([
    'more',
    'theirs',
  ])
})

it('[R3] keeps the patches that an unfinished git am has not applied yet', async () => {
  const { project, work, clone, remove } = await prepared()
  const mails = path.join(clone.dir, 'mails')
  clone.git('format-patch', '-q', '-2', '-o', mails)
  const names = ['0001-theirs.patch', '0002-more.patch'].map((name) => path.join(mails, name))
  expect(() => work.git('am', ...names)).toThrow()
  expect((await remove()).unfinished).toBeDefined()
  expect(project.git('show', `${kept}:git/rebase-apply/0002`)).toContain('+new')
})

it('[R3] keeps references of the worktree alone', async () => {
  const { project, work, clone, remove } = await prepared()
  work.git('fetch', '-q', clone.dir, 'HEAD')
  work.git('update-ref', 'refs/worktree/theirs', 'FETCH_HEAD')
  await remove()
  expect(project.git('show', `${kept}^1:new.txt`)).toBe('new')
})

it('[R3] keeps staged content that is no longer in the folder, without a word', async () => {
  const { project, work, remove } = await prepared()
  for (const text of ['staged\n', 'later\n']) {
    await work.write('b.txt', text)
    if (text === 'staged\n') work.git('add', '-A')
  }
  await work.write('gone.txt', 'gone\n')
  work.git('add', 'gone.txt')
  await rm(path.join(work.dir, 'gone.txt'))
  expect((await remove()).unfinished).toBeUndefined()
  expect(project.git('ls-tree', '-r', '--name-only', kept)).toBe('staged/b.txt\nstaged/gone.txt')
  expect(project.git('show', `${kept}:staged/b.txt`)).toBe('staged')
})

it('[R3] keeps the side of a conflict that is in no file: an uncommitted binary file taken to another branch', async () => {
  const { project, work, remove } = await prepared()
  const [mine, theirs] = ['mine\0', 'theirs\0']
  await work.write('a.txt', theirs)
  work.git('commit', '-qam', 'binary')
  const other = work.git('rev-parse', 'HEAD')
  work.git('reset', '-q', '--hard', 'HEAD~1')
  await work.write('a.txt', mine)
  const id = work.git('hash-object', '-w', 'a.txt')
  work.git('checkout', '-q', '-m', '-b', 'other2', other)
  expect(work.git('ls-files', '--unmerged')).toContain(id)
  expect((await remove()).unfinished).toBeDefined()
  const trees = project.git('ls-tree', '-r', kept)
  expect(trees).toContain(id)
})

it('[R3] keeps the commits of an unfinished merge of notes, and references whose names are no UTF-8', async () => {
  const { project, work, clone, remove } = await prepared()
  for (const [ref, text] of Object.entries({ other: 'two', commits: 'three' }))
    work.git('notes', '--ref', ref, 'add', '-m', text)
  expect(() => work.git('notes', 'merge', 'other')).toThrow()
  const partial = work.git('rev-parse', 'NOTES_MERGE_PARTIAL')
  work.git('fetch', '-q', clone.dir, 'HEAD')
  const fetched = work.git('rev-parse', 'FETCH_HEAD')
  const own = work.git('rev-parse', '--absolute-git-dir')
  const name = Buffer.concat([Buffer.from(`${own}/refs/worktree/`), Buffer.from([0xff, 0x78])])
  await mkdir(path.join(own, 'refs', 'worktree'), { recursive: true })
  await writeFile(name, `${fetched}\n`)
  await remove()
  const parents = project.git('log', '-1', '--format=%P', kept).split(' ')
  expect(parents.toSorted()).toEqual([partial, fetched].toSorted())
})

it('[R3] keeps a long git am as a whole, and says what is no longer of Git', async () => {
  const { project, work, remove } = await prepared()
  const own = work.git('rev-parse', '--absolute-git-dir')
  await mkdir(path.join(own, 'rebase-apply'))
  await writeFile(path.join(own, 'rebase-apply', 'applying'), '')
  for (let n = 1; n <= 2100; n++)
    await writeFile(path.join(own, 'rebase-apply', `${n}`.padStart(4, '0')), `patch ${n}\n`)
  await mkdir(path.join(own, 'sequencer'))
  await writeFile(path.join(own, 'sequencer', 'todo'), '')
  await truncate(path.join(own, 'sequencer', 'todo'), 1024 ** 4)
  expect((await remove()).unfinished).toMatchObject({ isIncomplete: true })
  expect(project.git('show', `${kept}:git/rebase-apply/2100`)).toBe('patch 2100')
})

it('keeps nothing of a rebase whose commits are all on branches', async () => {
  const { project, work, remove } = await prepared()
  await project.write('a.txt', 'main\n')
  project.git('commit', '-qam', 'main')
  expect(() => work.git('rebase', 'main')).toThrow()
  expect((await remove()).unfinished).toBeUndefined()
})

it('keeps what an earlier removal kept that a crash interrupted', async () => {
  const { project, work, clone, remove } = await prepared()
  work.git('fetch', '-q', clone.dir, 'HEAD')
  expect(() => work.git('merge', 'FETCH_HEAD')).toThrow()
  const tree = work.git('rev-parse', 'HEAD^{tree}')
  const earlier = work.git('commit-tree', '-m', 'kept before the crash', tree)
  work.git('update-ref', kept, earlier)
  await remove()
  expect(project.git('rev-parse', `${kept}^2`)).toBe(earlier)
})

it('[R3] keeps the commits of a detached HEAD and all staged content if the folder is gone', async () => {
  const { project, work } = await prepared()
  work.git('checkout', '-q', '--detach')
  await work.write('late.txt', 'late\n')
  work.git('add', '-A')
  work.git('commit', '-qm', 'late')
  await work.write('b.txt', 'staged\n')
  work.git('add', '-A')
  await rm(work.dir, { recursive: true })
  const saved = { taskId, headCommit: null, finalCommit: null }
  const { unfinished } = await git.removeWorktree({ repoDir: project.dir, path: work.dir, saved })
  project.git('gc', '-q', '--prune=now')
  expect(unfinished?.commit).toBe(project.git('rev-parse', kept))
  expect(project.git('show', `${kept}^1:late.txt`)).toBe('late')
  expect(project.git('show', `${kept}:staged/b.txt`)).toBe('staged')
})

it('[R3] keeps the commits of a detached HEAD, and submodules, if the worktree is created again in its place', async () => {
  const { project, work } = await prepared()
  const head = work.git('rev-parse', 'HEAD')
  work.git('checkout', '-q', '--detach')
  await work.write('late.txt', 'late\n')
  work.git('add', '-A')
  work.git('commit', '-qm', 'late')
  const own = work.git('rev-parse', '--absolute-git-dir')
  const module = path.join(own, 'modules', 'lib')
  work.git('init', '-q', '--bare', module)
  await rm(work.dir, { recursive: true })
  const told: string[] = []
  await git.restoreWorktree({
    ...{ repoDir: project.dir, path: work.dir, branch: 'work', head, final: head },
    ...{ taskId, onKept: ({ commit }) => told.push(commit) },
  })
  project.git('gc', '-q', '--prune=now')
  expect(told).toEqual([project.git('rev-parse', kept)])
  expect(project.git('show', `${kept}^1:late.txt`)).toBe('late')
  await expect(git.isPartialWorktree(work.dir)).resolves.toBe(false)
  expect(project.git('--git-dir', module, 'rev-parse', '--is-bare-repository')).toBe('true')
})

it('[R3] moves the submodules of a folder that a killed restore had left aside', async () => {
  const { project, work, clone } = await prepared()
  const own = work.git('rev-parse', '--absolute-git-dir')
  const module = path.join(own, 'modules', 'lib')
  clone.git('clone', '-q', '--bare', '.', module)
  const aside = path.join(project.dir, '.git', `shiplog-aside-${path.basename(own)}`)
  await rename(own, aside)
  await rm(work.dir, { recursive: true })
  const moved: string[] = []
  const moveSubmodules = async (found: { path: string; gitDir: string }[]) =>
    void moved.push(...found.map((one) => path.relative(aside, one.gitDir)))
  await git.removeWorktree({ repoDir: project.dir, path: work.dir, moveSubmodules })
  expect(moved).toEqual(['modules/lib'])
  expect(existsSync(aside)).toBe(false)
})

it('[R3] ends a restore that was killed after it had created the worktree again, and loses no submodule', async () => {
  const { work, clone } = await prepared()
  const own = work.git('rev-parse', '--absolute-git-dir')
  const aside = path.join(own, '..', '..', `shiplog-aside-${path.basename(work.dir)}`)
  const modules = ['lib', 'deep/one', 'deep/two']
  for (const name of modules) clone.git('clone', '-q', '--bare', '.', `${aside}/modules/${name}`)
  // Checked out again since.
  for (const name of ['lib', 'deep/one']) work.git('init', '-q', '--bare', `${own}/modules/${name}`)
  expect(git.hasHiddenFolder(work.dir)).toBe(true)
  await git.discardHiddenFolder(work.dir)
  expect(existsSync(aside)).toBe(false)
  expect(git.hasHiddenFolder(work.dir)).toBe(false)
  const subjectOf = (name: string) =>
    work.git('--git-dir', path.join(own, 'modules', name), 'log', '-1', '--format=%s')
  expect(['lib-2', 'deep/one-2', 'deep/two'].map(subjectOf)).toEqual(['more', 'more', 'more'])
})

it('is not stopped by what a program may write into the folder', async () => {
  const { project, work, clone, remove } = await prepared()
  work.git('fetch', '-q', clone.dir, 'HEAD')
  const fetched = work.git('rev-parse', 'FETCH_HEAD')
  const tree = work.git('rev-parse', 'HEAD^{tree}')
  const missing = '0123456789012345678901234567890123456789'
  const text = `tree ${tree}\nparent ${missing}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nodd\n`
  const file = path.join(await temporaryDir(), 'commit')
  await writeFile(file, text)
  const odd = work.git('hash-object', '-t', 'commit', '-w', '--literally', file)
  const own = work.git('rev-parse', '--absolute-git-dir')
  await writeFile(path.join(own, 'MERGE_HEAD'), `${odd}\n${missing}\n${fetched}\n`)
  work.git('update-index', '--add', '--info-only', '--cacheinfo', `100644,${missing},none.txt`)
  await mkdir(path.join(own, 'sequencer', 'todo'), { recursive: true })
  execFileSync('mkfifo', [path.join(own, 'sequencer', 'opts')])
  const { worktree } = await remove()
  expect(worktree).toBe('removed')
  expect(project.git('rev-parse', `${kept}^1`)).toBe(fetched)
})
