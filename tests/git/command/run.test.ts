import { existsSync } from 'node:fs'
import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { createGit } from '../../../src/main/git/index.ts'
import { ensureStore, inStore } from '../../../src/main/git/store/store.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'
import { git, makeRepository, temporaryDir, testEnv } from '../repository.ts'

it('says that Git is missing and what to do', async () => {
  const dir = await temporaryDir()
  const broken = createGit({ gitPath: path.join(dir, 'no-git'), env: testEnv })
  await expect(broken.inspectProject(dir)).rejects.toMatchObject({
    kind: 'git-missing',
    message: expect.stringContaining('Install Git'),
  })
})

it('tells a missing working directory from a missing Git', async () => {
  const dir = path.join(await temporaryDir(), 'gone')
  await expect(git.head(dir)).rejects.toMatchObject({
    kind: 'git',
    message: expect.stringContaining('is not a folder'),
  })
})

it('tells a file in the place of its working directory from a missing Git', async () => {
  const file = path.join(await temporaryDir(), 'file')
  await writeFile(file, '')
  await expect(createRunGit({ env: testEnv })(['status'], { cwd: file })).rejects.toMatchObject({
    kind: 'git',
    message: expect.stringContaining('is not a folder'),
  })
})

it('tells a working directory that may not be entered from a missing Git', async () => {
  const dir = await temporaryDir()
  asUnprivilegedUser(dir)
  await chmod(dir, 0o600)
  await expect(createRunGit({ env: testEnv })(['status'], { cwd: dir })).rejects.toMatchObject({
    kind: 'git',
    message: expect.stringContaining(`You may not read ${dir}`),
  })
})

it.each([
  ['too long', 'x'.repeat(300_000), 'E2BIG'],
  ['with a zero byte', 'a\0b', 'ERR_INVALID_ARG_VALUE'],
])('does not call Git missing for an argument that is %s', async (_, argument, code) => {
  const run = createRunGit({ env: testEnv })(['show', argument], { cwd: await temporaryDir() })
  await expect(run).rejects.toMatchObject({ code })
})

it('throws what Git said, with its exit code', async () => {
  const { dir } = await makeRepository()
  const run = createRunGit({ env: testEnv })
  await expect(run(['cat-file', '-p', 'nothing'], { cwd: dir })).rejects.toMatchObject({
    kind: 'git',
    exitCode: 128,
    args: ['cat-file', '-p', 'nothing'],
    stderr: expect.stringContaining('nothing'),
  })
})

it('ignores the repository that the environment names', async () => {
  const project = await makeRepository()
  const other = await makeRepository()
  const inHook = createGit({
    env: { ...testEnv, GIT_DIR: path.join(other.dir, '.git'), GIT_INDEX_FILE: '/nowhere/index' },
  })
  await expect(inHook.inspectProject(project.dir)).resolves.toMatchObject({ topLevel: project.dir })
  await expect(inHook.snapshot(project.dir)).resolves.toMatchObject({ dirty: false })
})

it('ends Git when output is over the bound, and answers with what there was', async () => {
  const { dir } = await makeRepository({ 'big.txt': 'x'.repeat(100_000) })
  const run = createRunGit({ env: testEnv })
  const args = ['cat-file', 'blob', 'HEAD:big.txt']
  const cut = await run(args, { cwd: dir, stdoutBytesMax: 10, cut: true })
  expect(cut).toMatchObject({ truncated: true })
  expect(cut.stdout.toString()).toBe('xxxxxxxxxx')
  await expect(run(args, { cwd: dir, stdoutBytesMax: 10 })).rejects.toMatchObject({ kind: 'git' })
})

it('ends Git on abort and throws the reason', async () => {
  const project = await makeRepository()
  const run = createRunGit({ env: testEnv })
  const stop = new AbortController()
  // It waits for its input, which never ends.
  project.git('config', 'alias.forever', '!echo started; exec sleep 60')
  const running = run(['forever'], { cwd: project.dir, signal: stop.signal })
  stop.abort(new Error('stopped by the user'))
  await expect(running).rejects.toThrow('stopped by the user')
  await expect(git.head(project.dir, { signal: stop.signal })).rejects.toThrow('stopped')
})

it('waits for a lock that somebody else holds for a moment', async () => {
  const project = await makeRepository()
  const marker = path.join(project.dir, '..', 'tried')
  const pretend = path.join(project.dir, '..', 'git')
  await writeFile(
    pretend,
    `#!/bin/sh
if [ -e '${marker}' ]; then exec git "$@"; fi
touch '${marker}'
echo "fatal: Unable to create '${project.dir}/.git/index.lock': File exists." >&2
exit 128
`,
  )
  await chmod(pretend, 0o755)
  const patient = createGit({ gitPath: pretend, env: testEnv })
  await expect(patient.currentBranch(project.dir)).resolves.toBe('main')
})

it('[R1] removes the lock of a hidden ref that a killed Git left, and continues', async () => {
  const project = await makeRepository()
  const taskId = newTaskId()
  const head = (await git.head(project.dir)) ?? ''
  const lock = await leaveLock(path.join(project.dir, '.git/refs/shiplog', `${taskId}.lock`))
  await git.keepRef(project.dir, { taskId, commit: head, base: null })
  await expect(git.keptCommit(project.dir, taskId)).resolves.toBe(head)
  expect(existsSync(lock)).toBe(false)
})

it('[R1] removes the lock of a base commit’s ref that a killed Git left, and continues', async () => {
  const project = await makeRepository()
  const taskId = newTaskId()
  const commit = (await git.head(project.dir)) ?? ''
  const locks = path.join(project.dir, '.git/refs/shiplog/base')
  await leaveLock(path.join(locks, `${taskId}.lock`))
  await git.pinBase({ repoDir: project.dir, taskId, commit })
  expect(project.git('for-each-ref', '--format=%(objectname)', 'refs/shiplog')).toBe(commit)
  const lock = await leaveLock(path.join(locks, `${taskId}.lock`))
  await git.unpinBase(project.dir, taskId)
  expect(existsSync(lock)).toBe(false)
  expect(project.git('for-each-ref', 'refs/shiplog')).toBe('')
})

it('[R1] removes the lock of all refs that a killed Git left in Shiplog’s own store, and continues', async () => {
  const project = await makeRepository()
  const store = path.join(await temporaryDir(), 'store')
  const run = createRunGit({ env: testEnv, storesOf: () => [store] })
  await ensureStore(run, store, project.dir)
  const lock = await leaveLock(path.join(store, 'packed-refs.lock'))
  const inIt = inStore(run, store)
  await inIt(['update-ref', '-d', 'refs/shiplog/snapshots/1'], { cwd: project.dir })
  expect(existsSync(lock)).toBe(false)
})

it('leaves a lock in the store that is newer than this process', async () => {
  const project = await makeRepository()
  const store = path.join(await temporaryDir(), 'store')
  const run = createRunGit({ env: testEnv, storesOf: () => [store] })
  await ensureStore(run, store, project.dir)
  const lock = await leaveLock(path.join(store, 'packed-refs.lock'))
  const nowSeconds = Date.now() / 1000
  await utimes(lock, nowSeconds, nowSeconds)
  const inIt = inStore(run, store)
  const removal = inIt(['update-ref', '-d', 'refs/shiplog/snapshots/1'], { cwd: store })
  await expect(removal).rejects.toMatchObject({ kind: 'git' })
  expect(existsSync(lock)).toBe(true)
})

it('leaves a lock of all refs of the user’s repository', async () => {
  const project = await makeRepository()
  const lock = await leaveLock(path.join(project.dir, '.git/packed-refs.lock'))
  await expect(git.unpinBase(project.dir, newTaskId())).rejects.toMatchObject({ kind: 'git' })
  expect(existsSync(lock)).toBe(true)
})

it('leaves a lock of the user’s where it is, and gives advice', async () => {
  const project = await makeRepository()
  const lock = await leaveLock(path.join(project.dir, '.git/refs/heads/mine.lock'))
  const run = createRunGit({ env: testEnv })
  await expect(run(['branch', 'mine'], { cwd: project.dir })).rejects.toMatchObject({
    kind: 'git',
    message: expect.stringMatching(
      /mine\.lock.*File exists.*if no Git command is running.*delete it/,
    ),
  })
  expect(existsSync(lock)).toBe(true)
})

/** As one that was killed a minute ago did. */
async function leaveLock(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, '')
  const then = Date.now() / 1000 - 60
  await utimes(file, then, then)
  return file
}

it('runs nothing that the repository brings: hooks, fsmonitor, external diff, textconv', async () => {
  const project = await makeRepository()
  const trap = path.join(project.dir, '..', 'trap')
  const trace = path.join(project.dir, '..', 'sprung')
  await writeFile(trap, `#!/bin/sh\necho "$0 $@" >> '${trace}'\n`)
  await chmod(trap, 0o755)
  project.git('config', 'core.fsmonitor', trap)
  project.git('config', 'diff.external', trap)
  project.git('config', 'diff.trap.textconv', trap)
  project.git('config', 'diff.trap.command', trap)
  project.git('config', 'commit.gpgSign', 'true')
  project.git('config', 'gpg.program', trap)
  await project.write('.gitattributes', '*.md diff=trap\n')
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
    await writeFile(
      path.join(project.dir, '.git/hooks', hook),
      `#!/bin/sh\nexec '${trap}' ${hook}\n`,
    )
    await chmod(path.join(project.dir, '.git/hooks', hook), 0o755)
  }
  const base = await git.head(project.dir)
  await project.write('README.md', 'other\n')

  const { commit } = await git.commitSnapshot(project.dir)
  const worktree = path.join(project.dir, '..', 'worktree')
  await git.createWorktree({ repoDir: project.dir, path: worktree, branch: 'b', from: commit })
  const answer = await git.diff({ dir: project.dir, baseCommit: base })
  await git.isClean(project.dir)

  expect(answer).toMatchObject({ kind: 'diff', patch: expect.stringContaining('+other') })
  await expect(import('node:fs').then((fs) => fs.existsSync(trace))).resolves.toBe(false)
})

it('prints no advice about what it was started with', async () => {
  const project = await makeRepository()
  const { stderr } = await createRunGit({ env: testEnv })(['log', '-1'], { cwd: project.dir })
  expect(stderr).toBe('')
})

it.skipIf(process.platform === 'win32')(
  'says that Git crashed where Git says nothing',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const run = createRunGit({ env: testEnv })
    const crash = ['-c', 'alias.crash=!kill -9 $PPID', 'crash']
    await expect(run(crash, { cwd: project.dir })).rejects.toThrow('it crashed, or another program')
  },
)
