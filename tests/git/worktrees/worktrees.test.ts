import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import {
  git,
  makeRepository,
  openRepository,
  type Repository,
  temporaryDir,
  testEnv,
} from '../repository.ts'

async function withWorktree(branch = 'shiplog/work') {
  const project = await makeRepository(undefined, { name: 'my project ü' })
  const from = project.git('rev-parse', 'HEAD')
  const worktree = path.join(await temporaryDir(), 'deep/er', 'work tree ß')
  const input = { repoDir: project.dir, path: worktree, branch, from }
  await git.createWorktree(input)
  return { project, worktree, branch, from, input }
}

const noted = (project: Repository) => project.git('worktree', 'list').split('\n').length - 1
const branches = (project: Repository) =>
  project.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')

it('makes a worktree on a new branch from a commit', async () => {
  const { project, worktree, from } = await withWorktree()
  await expect(git.inspectProject(worktree)).resolves.toEqual({
    kind: 'repository',
    topLevel: worktree,
    branch: 'shiplog/work',
    head: from,
  })
  expect(project.git('status', '--porcelain')).toBe('')
})

it("makes a child's worktree from its parent's state, uncommitted work included", async () => {
  const { project, worktree } = await withWorktree()
  const parent = openRepository(worktree)
  await parent.write('notes.md', 'not committed')
  await parent.write('README.md', 'changed')
  const { commit } = await git.commitSnapshot(worktree)
  const child = path.join(await temporaryDir(), 'child')
  await git.createWorktree({ repoDir: worktree, path: child, branch: 'child', from: commit })
  expect(await openRepository(child).read('notes.md')).toBe('not committed')
  expect(await openRepository(child).read('README.md')).toBe('changed')
  expect(parent.git('status', '--porcelain')).toBe(' M README.md\n?? notes.md')
  expect(branches(project)).toEqual(['child', 'main', 'shiplog/work'])
})

it('makes one although a clean-up beside it takes the folder of all worktrees away', async () => {
  const project = await makeRepository()
  const from = project.git('rev-parse', 'HEAD')
  const dir = await temporaryDir()
  const [worktree, gitPath, isOver] = [
    path.join(dir, 'work'),
    path.join(dir, 'git'),
    path.join(dir, 'over'),
  ]
  // As Git fails then: the branch has been made.
  await writeFile(
    gitPath,
    `#!/bin/sh
case " $* " in *" worktree add "*)
  if [ ! -e '${isOver}' ]; then
    touch '${isOver}'
    git branch shiplog/work ${from}
    echo "fatal: could not create directory of '.git/worktrees/work': No such file or directory" >&2
    exit 128
  fi
esac
exec git "$@"
`,
  )
  await chmod(gitPath, 0o755)
  const git = createGit({ env: testEnv, gitPath })
  await git.createWorktree({ repoDir: project.dir, path: worktree, branch: 'shiplog/work', from })
  expect(openRepository(worktree).git('rev-parse', 'HEAD')).toBe(from)
  expect(noted(project)).toBe(1)
})

it('takes away a branch that a kill left behind, and none with work on it', async () => {
  const { project, worktree } = await withWorktree()
  project.git('branch', 'shiplog/left', 'HEAD')
  project.git('branch', 'shiplog/worked', 'HEAD')
  const other = path.join(await temporaryDir(), 'other')
  project.git('worktree', 'add', '--quiet', other, 'shiplog/worked')
  openRepository(other).git('commit', '--quiet', '--allow-empty', '-m', 'Work')
  project.git('worktree', 'remove', other)
  for (const branch of ['shiplog/left', 'shiplog/worked', 'shiplog/work', 'shiplog/none'])
    await git.deleteUnusedBranch({ repoDir: project.dir, branch })
  expect(branches(project)).toEqual(['main', 'shiplog/work', 'shiplog/worked'])
  expect(openRepository(worktree).git('branch', '--show-current')).toBe('shiplog/work')
})

it('makes several at once', async () => {
  const project = await makeRepository()
  const dir = await temporaryDir()
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all(
    names.map((name) =>
      git.createWorktree({
        repoDir: project.dir,
        path: path.join(dir, name, 'work'),
        branch: `shiplog/${name}`,
        from: 'HEAD',
      }),
    ),
  )
  expect(noted(project)).toBe(names.length)
})

it('refuses what cannot be, by name, and leaves nothing behind', async () => {
  const { project, worktree, from, input } = await withWorktree()
  const other = path.join(worktree, '../other')
  const attempts = [
    [{ path: other }, 'branch-exists'],
    [{ branch: 'new' }, 'path-exists'],
    [{ path: other, branch: 'no..good' }, 'bad-branch-name'],
    [{ path: other, branch: '-f' }, 'bad-branch-name'],
    [{ path: other, branch: 'new', from: 'f'.repeat(40) }, 'unknown-commit'],
  ] as const
  for (const [change, reason] of attempts) {
    await expect(git.createWorktree({ ...input, ...change })).rejects.toMatchObject({
      kind: 'worktree-refused',
      reason,
    })
  }
  expect(branches(project)).toEqual(['main', 'shiplog/work'])
  expect(noted(project)).toBe(1)
  expect(existsSync(other)).toBe(false)
  expect(project.git('rev-parse', 'shiplog/work')).toBe(from)
})

it('takes a half-made worktree back when checking out fails', async () => {
  const project = await makeRepository({ '.gitattributes': '*.big filter=broken\n', 'a.big': 'x' })
  project.git('config', 'filter.broken.smudge', 'false')
  project.git('config', 'filter.broken.required', 'true')
  const worktree = path.join(await temporaryDir(), 'work')
  const allowing = createGit({ env: testEnv, isAllowed: () => true })
  await expect(
    allowing.createWorktree({ repoDir: project.dir, path: worktree, branch: 'new', from: 'HEAD' }),
  ).rejects.toMatchObject({ kind: 'git' })
  expect(existsSync(worktree)).toBe(false)
  expect(branches(project)).toEqual(['main'])
  expect(noted(project)).toBe(0)
})

it.skipIf(process.platform === 'win32')(
  'tells a worktree whose making was killed half-way from one that somebody works in',
  async () => {
    const { project, worktree } = await withWorktree()
    await expect(git.isPartialWorktree(worktree)).resolves.toBe(false)
    await project.write('.gitattributes', '*.md filter=deadly\n')
    project.git('add', '-A')
    project.git('commit', '-qm', 'With a filter')
    project.git('config', 'filter.deadly.smudge', 'kill -9 0')
    const half = path.join(await temporaryDir(), 'half')
    const argv = ['worktree', 'add', '-q', '-b', 'half', half]
    const child = spawn('git', argv, { cwd: project.dir, env: testEnv, detached: true })
    await once(child, 'close')
    expect(child.signalCode).toBe('SIGKILL')
    await expect(git.isClean(half)).resolves.toBe(false)
    await expect(git.isPartialWorktree(half)).resolves.toBe(true)
    const before = noted(project)
    await git.forgetPartialWorktree(half)
    await git.forgetPartialWorktree(worktree)
    expect(noted(project)).toBe(before - 1)
  },
)

it('removes no worktree as partial that another program has filled meanwhile', async () => {
  const { project, worktree } = await withWorktree()
  await git.removePartialWorktree({ repoDir: project.dir, path: worktree })
  expect(existsSync(path.join(worktree, 'README.md'))).toBe(true)
  await rm(worktree, { recursive: true })
  await mkdir(worktree)
  await git.removePartialWorktree({ repoDir: project.dir, path: worktree })
  expect(existsSync(worktree)).toBe(false)
  // What Git knows of it stays.
  expect(noted(project)).toBe(1)
})

it('removes a worktree with all that is in it, its branch and its note, and may be repeated', async () => {
  const { project, worktree, branch, from } = await withWorktree()
  await writeFile(path.join(worktree, 'untracked.txt'), '')
  const input = { repoDir: project.dir, path: worktree, branch, branchAt: from }
  await expect(git.removeWorktree(input)).resolves.toEqual({
    worktree: 'removed',
    branch: 'deleted',
  })
  expect(existsSync(worktree)).toBe(false)
  expect(branches(project)).toEqual(['main'])
  expect(noted(project)).toBe(0)
  await expect(git.removeWorktree(input)).resolves.toEqual({
    worktree: 'already-gone',
    branch: 'already-gone',
  })
})

const states: Record<
  string,
  (setting: { project: Repository; worktree: string }) => Promise<unknown>
> = {
  'deleted by hand': ({ worktree }) => rm(worktree, { recursive: true }),
  'deleted by hand, with the folder above it': ({ worktree }) =>
    rm(path.dirname(worktree), { recursive: true }),
  locked: async ({ project, worktree }) => project.git('worktree', 'lock', worktree),
  'locked and deleted by hand': async ({ project, worktree }) => {
    project.git('worktree', 'lock', worktree)
    await rm(worktree, { recursive: true })
  },
  'with a damaged .git file': ({ worktree }) => writeFile(path.join(worktree, '.git'), 'nonsense'),
  'without its .git file': ({ worktree }) => rm(path.join(worktree, '.git')),
  'whose note is gone': ({ project }) =>
    rm(path.join(project.dir, '.git/worktrees'), { recursive: true }),
  'in the middle of a rebase': async ({ worktree }) => {
    const work = openRepository(worktree)
    await work.write('README.md', 'theirs\n')
    work.commit('Theirs')
    work.git('checkout', '--quiet', '-b', 'aside', 'HEAD~1')
    await work.write('README.md', 'ours\n')
    work.commit('Ours')
    expect(() => work.git('rebase', 'shiplog/work')).toThrow()
    work.git('update-ref', '-d', 'refs/heads/aside')
  },
  'with a detached HEAD': async ({ worktree }) =>
    openRepository(worktree).git('checkout', '--quiet', '--detach'),
}
for (const [state, bring] of Object.entries(states)) {
  it(`removes a worktree ${state}`, async () => {
    const { project, worktree, branch } = await withWorktree()
    await bring({ project, worktree })
    const removal = await git.removeWorktree({ repoDir: project.dir, path: worktree, branch })
    expect(removal).toEqual({ worktree: 'removed', branch: 'deleted' })
    expect(existsSync(worktree)).toBe(false)
    expect(branches(project)).toEqual(['main'])
    expect(noted(project)).toBe(0)
  })
}

it("keeps the notes of the user's other worktrees, even of one that is not there now", async () => {
  const { project, worktree } = await withWorktree()
  const theirs = path.join(await temporaryDir(), 'usb-stick')
  project.git('worktree', 'add', '--quiet', '-b', 'theirs', theirs)
  await rm(theirs, { recursive: true })
  await rm(worktree, { recursive: true })
  await git.removeWorktree({ repoDir: project.dir, path: worktree })
  expect(project.git('worktree', 'list')).toContain('usb-stick')
  expect(noted(project)).toBe(1)
})

it('removes the folder when the project itself is gone', async () => {
  const { project, worktree, branch } = await withWorktree()
  await rm(project.dir, { recursive: true })
  await expect(
    git.removeWorktree({ repoDir: project.dir, path: worktree, branch }),
  ).resolves.toEqual({ worktree: 'removed', branch: 'already-gone' })
  expect(existsSync(worktree)).toBe(false)
})

it('never removes a repository, nor a folder that one is in', async () => {
  const { project, worktree } = await withWorktree()
  const other = await makeRepository()
  for (const target of [project.dir, path.dirname(project.dir), other.dir]) {
    await expect(git.removeWorktree({ repoDir: project.dir, path: target })).rejects.toMatchObject({
      kind: 'not-a-worktree',
    })
  }
  expect(existsSync(path.join(other.dir, 'README.md'))).toBe(true)
  expect(existsSync(worktree)).toBe(true)
})

it('does not follow a link out of a worktree', async () => {
  const { project, worktree } = await withWorktree()
  const outside = await temporaryDir()
  await writeFile(path.join(outside, 'precious.txt'), '')
  await symlink(outside, path.join(worktree, 'link'))
  await git.removeWorktree({ repoDir: project.dir, path: worktree })
  expect(await readdir(outside)).toEqual(['precious.txt'])
})

it('keeps a branch that is checked out elsewhere or has moved on', async () => {
  const { project, worktree, branch, from } = await withWorktree()
  const elsewhere = path.join(await temporaryDir(), 'elsewhere')
  openRepository(worktree).git('checkout', '--quiet', '--detach')
  project.git('worktree', 'add', '--quiet', elsewhere, branch)
  await expect(
    git.removeWorktree({ repoDir: project.dir, path: worktree, branch }),
  ).resolves.toEqual({ worktree: 'removed', branch: 'checked-out-elsewhere' })

  openRepository(elsewhere).commit('The user went on')
  project.git('worktree', 'remove', elsewhere)
  const input = { repoDir: project.dir, path: worktree, branch }
  const gone = { worktree: 'already-gone' }
  await expect(git.removeWorktree({ ...input, branchAt: from })).resolves.toEqual({
    ...gone,
    branch: 'moved-on',
  })
  await expect(git.removeWorktree(input)).resolves.toEqual({ ...gone, branch: 'deleted' })
})

it('keeps a commit alive under a hidden ref until it is deleted', async () => {
  const project = await makeRepository()
  const taskId = newTaskId()
  await project.write('new.txt', 'new\n')
  const { commit } = await git.commitSnapshot(project.dir)
  await git.keepRef(project.dir, { taskId, commit: commit, base: null })
  project.git('gc', '--quiet', '--prune=now')
  await expect(git.keptCommit(project.dir, taskId)).resolves.toBe(commit)
  expect(project.git('show', `${commit}:new.txt`)).toBe('new')
  expect(branches(project)).toEqual(['main'])

  await git.deleteRef(project.dir, taskId)
  await git.deleteRef(project.dir, taskId)
  await expect(git.keptCommit(project.dir, taskId)).resolves.toBeNull()
})

it("gives an agent's shell a name only where the user gave none", async () => {
  const { project, worktree } = await withWorktree()
  await expect(git.agentEnv(worktree)).resolves.toEqual({})

  project.git('config', '--unset', 'user.name')
  await expect(git.agentEnv(worktree)).resolves.toEqual({
    GIT_AUTHOR_NAME: 'Shiplog',
    GIT_COMMITTER_NAME: 'Shiplog',
  })
  project.git('config', '--unset', 'user.email')
  project.git('config', 'user.useConfigOnly', 'true')
  const env = await git.agentEnv(worktree)
  execFileSync('git', ['commit', '-qm', 'By an agent', '--allow-empty'], {
    cwd: worktree,
    env: { ...testEnv, ...env },
  })
  expect(openRepository(worktree).git('show', '-s', '--format=%an %ae')).toBe(
    'Shiplog shiplog@localhost',
  )
})

it('notices a name that the user gives while Shiplog runs, also outside of Git', async () => {
  const dir = await temporaryDir()
  const home = path.join(dir, 'home')
  await mkdir(home)
  const env: NodeJS.ProcessEnv = { ...testEnv, HOME: home, GIT_CONFIG_GLOBAL: undefined }
  const asking = createGit({ env })
  const both = ['GIT_AUTHOR_NAME', 'GIT_COMMITTER_NAME']
  expect(Object.keys(await asking.agentEnv(dir))).toEqual(expect.arrayContaining(both))
  await writeFile(path.join(home, '.gitconfig'), '[user]\n\tname = A\n\temail = a@localhost\n')
  await expect(asking.agentEnv(dir)).resolves.toEqual({})
})

it('lists a worktree whose path holds a newline', async () => {
  const project = await makeRepository()
  const worktree = path.join(await temporaryDir(), 'two\nlines')
  await git.createWorktree({ repoDir: project.dir, path: worktree, branch: 'odd', from: 'HEAD' })
  await expect(git.registeredWorktrees(project.dir)).resolves.toEqual(
    new Set([project.dir, worktree]),
  )
  await expect(git.foldersWithBranch({ repoDir: project.dir, branch: 'odd' })).resolves.toEqual([
    worktree,
  ])
})

it('sees every change in a worktree and saves it, whatever the repository sets for Git’s own looks and order', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  project.git('config', 'core.ignoreStat', 'true')
  project.git('config', 'diff.orderFile', '/nowhere/order')
  const from = project.git('rev-parse', 'HEAD')
  const dir = path.join(await temporaryDir(), 'child')
  await git.createWorktree({ repoDir: project.dir, path: dir, branch: 'child', from })
  await openRepository(dir).write('a.txt', 'changed\n')
  const { tree } = await git.snapshot(dir)
  expect(await git.treeDifferences({ dir, from, to: tree })).toMatchObject([{ path: 'a.txt' }])
  const patches = await temporaryDir()
  const saved = await git.savePatch({
    dir,
    baseCommit: from,
    seriesPath: path.join(patches, 'series.mbox'),
    worktreePath: path.join(patches, 'worktree.patch'),
  })
  expect(saved).toMatchObject({ status: 'ready', paths: ['a.txt'] })
})
