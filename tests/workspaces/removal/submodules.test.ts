import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, gitProject, openFixture, start, taskOf, untilQuiet } from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

const allowFiles = '-c protocol.file.allow=always'

const commitIn =
  'cd lib && git checkout -q -b work && echo b > b.txt && git add b.txt && git commit -qm B && cd ..'

async function removedAfter(commands: string, { isFolderGone = false, discard = false } = {}) {
  const fixture = await openFixture()
  const { dir } = fixture.project
  const library = await gitProject(join(fixture.dir, 'library'), { 'a.txt': 'a\n' })
  git(dir, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
  git(dir, 'commit', '-qm', 'With a library')
  const id = await start(
    fixture,
    `
version: 1
name: in a submodule
agents:
  lead:
    turns:
      - call: bash
        with: { command: "git ${allowFiles} submodule --quiet update --init && ${commands}" }
`,
  )
  await untilQuiet(fixture.shiplog)
  expect((await taskOf(fixture.shiplog, id)).status).toBe('completed')
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  if (isFolderGone) await rm(path, { recursive: true })
  const input = { workspaceId: id, discardUnknownWorktree: discard }
  await fixture.shiplog.client.workspace.remove(input)
  const { notices } = await fixture.shiplog.client.app.info()
  return {
    fixture,
    id,
    kept: join(fixture.dataDir, 'trash', `worktree-${id}`, 'lib'),
    told: notices.map(({ text }) => text).join('\n'),
  }
}

it('[R3] keeps an agent’s work in a submodule as a repository in the trash, and reports that', async () => {
  const { kept, told } = await removedAfter(
    'cd lib && echo b > b.txt && git add b.txt && git commit -qm B && echo c > c.txt && echo d >> a.txt',
  )
  expect(git(kept, 'log', '--format=%s').trim().split('\n')).toEqual(['B', 'First'])
  expect(git(kept, 'status', '--porcelain')).toBe(' M a.txt\n?? c.txt\n')
  expect(await readFile(join(kept, 'c.txt'), 'utf8')).toBe('c\n')
  expect(told).toContain('which no patch contains: lib')
})

it.each([
  [
    'committed, and only tagged',
    'cd lib && echo b > b.txt && git add b.txt && git commit -qm B && git tag mine/b && git reset -q --hard HEAD~1',
  ],
  [
    'committed without a branch, and left for another commit',
    'cd lib && git checkout -q --detach && echo b > b.txt && git add b.txt && git commit -qm B && cd .. && git add lib && git commit -qm Lib && cd lib && git checkout -q HEAD~1',
  ],
  ['stashed in it', 'cd lib && echo b >> a.txt && git stash -q'],
  ['committed in one that it then removed', `${commitIn} && git rm -q --cached lib`],
  ['committed in one that it then closed', `${commitIn} && git submodule -q deinit -f lib`],
])('[R3] keeps what an agent %s', async (_what, commands) => {
  const { kept, told } = await removedAfter(commands)
  const subjects = git(kept, 'log', '--all', '--reflog', '--format=%s').trim().split('\n')
  expect(subjects.some((one) => one === 'B' || one.startsWith('WIP on'))).toBe(true)
  expect(told).toContain('which no patch contains: lib')
})

itInSoak('[R3] keeps a submodule beside a repository of its name with .git', async () => {
  const { kept, told } = await removedAfter(
    `${commitIn} && git init -q lib.git && echo c > lib.git/c.txt`,
  )
  expect(git(kept, 'log', '-1', '--format=%s', 'work').trim()).toBe('B')
  expect(await readFile(join(`${kept}.git`, 'c.txt'), 'utf8')).toBe('c\n')
  expect(told).toContain('which no patch contains: lib.git, lib')
})

it('[R3] keeps a repository in the worktree although the trash has an earlier one', async () => {
  const { fixture, id, kept } = await removedAfter('git init -q own && echo 1 > own/1.txt')
  const own = join(kept, '..', 'own')
  expect(await readFile(join(own, '1.txt'), 'utf8')).toBe('1\n')
  const { client } = fixture.shiplog
  await client.workspace.restore({ workspaceId: id })
  // What was put there by hand.
  await mkdir(own, { recursive: true })
  await writeFile(join(own, '2.txt'), '2\n')
  await client.workspace.remove({ workspaceId: id })
  expect((await taskOf(fixture.shiplog, id)).archived).toBe(true)
  expect(await readFile(join(own, '1.txt'), 'utf8')).toBe('1\n')
  expect(await readFile(join(`${own}.older-1`, '2.txt'), 'utf8')).toBe('2\n')
})

it.each([
  ['whose folder was deleted', commitIn, { isFolderGone: true }],
  ['that is discarded as unknown', `${commitIn} && rm .git && git init -q`, { discard: true }],
])('[R3] keeps commits in a submodule of a worktree %s', async (_what, commands, how) => {
  const { fixture, id, told } = await removedAfter(commands, how)
  expect(told).toContain('which no patch contains: lib')
  const trash = join(fixture.dataDir, 'trash')
  const names = (await readdir(trash)).filter((name) => name.startsWith(`worktree-${id}`))
  const repositories = names.map((name) => join(trash, name, 'lib'))
  const logs = repositories.map((dir) => {
    try {
      return git(dir, 'log', '--all', '--format=%s')
    } catch {
      return ''
    }
  })
  expect(logs.join('')).toContain('B\nFirst\n')
})

it('[R6] restores a worktree in which a submodule without work was checked out, so that Git works in it', async () => {
  const { fixture, id, told } = await removedAfter(
    "echo '*.log' >> $(git -C lib rev-parse --git-path info/exclude) && echo log > lib/x.log",
  )
  expect(told).toBe('')
  const { client } = fixture.shiplog
  await client.workspace.restore({ workspaceId: id })
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  expect(git(path, 'status', '--porcelain')).toBe('')
  git(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
  expect(await readFile(join(path, 'lib', 'a.txt'), 'utf8')).toBe('a\n')
  const [notice] = (await client.app.info()).notices
  expect(notice?.text).toContain('Submodules are not checked out again')
  const trashed = notice?.details[0] ?? ''
  const log = join(fixture.dataDir, 'trash', trashed, 'x.log')
  expect(await readFile(log, 'utf8')).toBe('log\n')
})

itInSoak('keeps nothing of an unchanged submodule', async () => {
  const { kept, told } = await removedAfter('cat lib/a.txt')
  await expect(readFile(join(kept, 'a.txt'))).rejects.toThrow('ENOENT')
  expect(told).toBe('')
})
