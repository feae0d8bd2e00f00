import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeRepository, openRepository, temporaryDir } from '../repository.ts'

it('[S2] tells commits with author and paths, as they are called in the folder that asks', async () => {
  const project = await makeRepository({ 'app/a.txt': 'a\n', 'b.txt': 'b\n' })
  const from = project.git('rev-parse', 'HEAD')
  await project.write('app/a.txt', 'changed\n')
  await project.write('app/line\nbreak.txt', 'x\n')
  const first = project.commit('One')
  await project.write('b.txt', 'changed\n')
  project.git('commit', '-qam', 'Two', '--author', 'Shiplog <shiplog@localhost>')
  const to = project.git('rev-parse', 'HEAD')
  const dir = `${project.dir}/app`
  await expect(git.commitsBetween({ dir, from, to, paths: [] })).resolves.toEqual([
    { id: to, author: 'Shiplog', isShiplogs: true, paths: ['../b.txt'] },
    { id: first, author: 'Ada Example', isShiplogs: false, paths: ['a.txt', 'line\nbreak.txt'] },
  ])
  const touching = await git.commitsBetween({ dir, from, to, paths: ['a.txt'] })
  expect(touching.map(({ id }) => id)).toEqual([first])
  await expect(git.countCommits({ dir, from, to })).resolves.toBe(2)
  await expect(git.countCommits({ dir, from: to, to: from })).resolves.toBeNull()
  await expect(git.countCommits({ dir, from: 'f'.repeat(40), to })).resolves.toBeNull()
})

it.each(['UTF-16', 'ISO-8859-1'])(
  'tells authors where Git is set to print %s',
  async (encoding) => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const from = project.git('rev-parse', 'HEAD')
    await project.write('a.txt', 'changed\n')
    project.git('commit', '-qam', 'Größe', '--author', 'Zoë <zoe@example.com>')
    project.git('config', 'i18n.logOutputEncoding', encoding)
    const to = project.git('rev-parse', 'HEAD')
    await expect(
      git.commitsBetween({ dir: project.dir, from, to, paths: [] }),
    ).resolves.toMatchObject([{ id: to, author: 'Zoë' }])
  },
)

it('[S2] finds the user’s commit below one that only holds uncommitted work', async () => {
  const project = await makeRepository()
  const { dir } = project
  const head = project.git('rev-parse', 'HEAD')
  await expect(git.committedBase({ dir, commit: head })).resolves.toBe(head)
  await project.write('new.txt', 'new\n')
  const { commit } = await git.commitSnapshot(dir)
  await expect(git.committedBase({ dir, commit })).resolves.toBe(head)
  await expect(git.committedBase({ dir, commit: 'f'.repeat(40) })).resolves.toBeNull()
})

it('finds it in a partial clone that lacks the trees of older commits', async () => {
  const source = await makeRepository()
  source.git('config', 'uploadpack.allowFilter', 'true')
  await source.write('new.txt', 'new\n')
  const head = source.commit('Second')
  const dir = path.join(await temporaryDir(), 'clone')
  source.git('clone', '-q', '--filter=tree:0', `file://${source.dir}`, dir)
  await expect(git.committedBase({ dir, commit: head })).resolves.toBe(head)
})

it('[S4] puts uncommitted work on another commit without touching a file', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const { dir } = project
  const head = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', 'work\n')
  const { commit: final } = await git.commitSnapshot(dir)
  project.git('checkout', '-q', '--', '.')
  await project.write('b.txt', 'theirs\n')
  const onto = project.commit('Theirs')
  const before = await project.account()
  const rebased = await git.rebaseSnapshot({ repoDir: dir, head, final, onto })
  expect(await project.account()).toEqual(before)
  expect(rebased.kind).toBe('rebased')
  if (rebased.kind === 'rebased') {
    expect(project.git('show', `${rebased.commit}:a.txt`)).toBe('work')
    expect(project.git('show', `${rebased.commit}:b.txt`)).toBe('theirs')
  }
  await project.write('a.txt', 'theirs\n')
  const conflicting = project.commit('Conflicts')
  await expect(
    git.rebaseSnapshot({ repoDir: dir, head, final, onto: conflicting }),
  ).resolves.toEqual({ kind: 'conflict', paths: ['a.txt'] })
})

it('[S4] does not switch branches where what Git ignores would be overwritten', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const { dir } = project
  project.git('checkout', '-q', '-b', 'work')
  await project.write('build.log', 'tracked here\n')
  project.commit('Work')
  project.git('checkout', '-q', 'main')
  await project.write('.gitignore', '*.log\n')
  project.commit('Ignore')
  await project.write('build.log', 'somebody’s\n')
  const account = await project.account()
  await expect(git.switchBranch({ dir, branch: 'work' })).resolves.toBe(false)
  await expect(git.switchBranch({ dir, branch: 'nowhere' })).resolves.toBe(false)
  expect(await project.account()).toEqual(account)
  await project.remove('build.log')
  await expect(git.switchBranch({ dir, branch: 'work' })).resolves.toBe(true)
  expect(await openRepository(dir).read('build.log')).toBe('tracked here\n')
})
