/** Settings and files of a repository with which Git waits, computes or starts processes without end. */
import { execFileSync } from 'node:child_process'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { createGit } from '../../../src/main/git/index.ts'
import { casesOf } from '../../soak.ts'
import { makeRepository, temporaryDir, testEnv } from '../repository.ts'

/** So that a call that waits fails, and leaves no process. */
const limit = () => AbortSignal.timeout(15_000)
const run = createRunGit({ env: testEnv })

it('waits for no lock without end because a repository says so', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  for (const key of ['core.packedRefsTimeout', 'core.filesRefLockTimeout'])
    project.git('config', key, '-1')
  const name = 'refs/heads/other'
  project.git('update-ref', name, 'HEAD')
  const options = { cwd: project.dir, signal: limit() }
  for (const lock of ['packed-refs.lock', `${name}.lock`]) {
    await project.write(`.git/${lock}`, '')
    await expect(run(['update-ref', '-d', name], options)).rejects.toThrow(/lock/)
    await rm(path.join(project.dir, '.git', lock))
  }
})

it('starts no number of processes that a repository chooses', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const options = { cwd: project.dir }
  for (const key of ['checkout.workers', 'pack.threads', 'index.threads']) {
    project.git('config', key, '100000')
    expect(Number((await run(['config', '--get', key], options)).stdout)).toBeLessThan(10)
  }
})

it('looks for renames among as many files as the user or Git says, and not the repository', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const personal = path.join(await temporaryDir(), 'gitconfig')
  await writeFile(personal, '[merge]\nrenameLimit = 20\n')
  for (const key of ['diff.renameLimit', 'merge.renameLimit']) project.git('config', key, '0')
  const mine = createRunGit({ env: { ...testEnv, GIT_CONFIG_GLOBAL: personal } })
  const { always } = await mine.readConfig(project.dir)
  expect(always).toEqual([
    { own: false, key: 'diff.renamelimit', value: '1000' },
    { own: false, key: 'merge.renamelimit', value: '20' },
  ])
})

it('compares files by an algorithm that the user or Git chooses, and not the repository', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  for (const key of ['diff.algorithm', 'diff.t.algorithm']) project.git('config', key, 'minimal')
  const { always } = await run.readConfig(project.dir)
  expect(always).toEqual(
    ['diff.algorithm', 'diff.t.algorithm'].map((key) => ({ own: false, key, value: 'default' })),
  )
})

it('matches no headings of hunks by an expression of the repository', async () => {
  const long = `${`${'a'.repeat(400)}\n`.repeat(200)}`
  const project = await makeRepository({ '.gitattributes': '*.txt diff=t\n', 'a.txt': long })
  const baseCommit = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', `${long}x\n`)
  const git = createGit({ env: testEnv })
  for (const [key, expression] of [
    ['xfuncname', '^(a*)*(a*)*\\1\\2b$'],
    ['funcname', '^\\(a*\\)*\\(a*\\)*\\1\\2b$'],
  ] as const) {
    project.git('config', `diff.t.${key}`, expression)
    const answer = await git.diff({ dir: project.dir, baseCommit, signal: limit() })
    expect(answer).toMatchObject({ files: [{ path: 'a.txt' }] })
    project.git('config', '--unset', `diff.t.${key}`)
  }
})

const linked = [
  'info/exclude',
  'info/attributes',
  'packed-refs',
  'objects/info/commit-graph',
  'refs/heads/other',
]

it
  .skipIf(process.platform === 'win32')
  .each(casesOf(linked, (name) => name === 'info/exclude' || name === 'packed-refs'))(
  'does not wait for a named pipe that %s links to',
  async (name) => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const pipe = path.join(await temporaryDir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const link = path.join(project.dir, '.git', name)
    await rm(link, { force: true })
    await mkdir(path.dirname(link), { recursive: true })
    await symlink(pipe, link)
    await project.write('a.txt', 'changed\n')
    const git = createGit({ env: testEnv })
    const { tree } = await git.snapshot(project.dir, { signal: limit() })
    await git.commitSnapshot(project.dir, { signal: limit() })
    await rm(link)
    expect(project.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
  },
)

it.skipIf(process.platform === 'win32').each(casesOf(['file', 'link'], (kind) => kind === 'link'))(
  'does not wait for a named pipe in a repository elsewhere that the .git %s of a nested one names',
  async (kind) => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const nested = path.join(project.dir, 'nested')
    await mkdir(nested)
    execFileSync('git', ['init', '-q', nested], { env: testEnv })
    const gitDir = path.join(await temporaryDir(), 'elsewhere')
    await rename(path.join(nested, '.git'), gitDir)
    if (kind === 'file') await writeFile(path.join(nested, '.git'), `gitdir: ${gitDir}\n`)
    else await symlink(gitDir, path.join(nested, '.git'))
    await rm(path.join(gitDir, 'HEAD'))
    execFileSync('mkfifo', [path.join(gitDir, 'HEAD')])
    await project.write('a.txt', 'changed\n')
    const git = createGit({ env: testEnv })
    const { tree } = await git.snapshot(project.dir, { signal: limit() })
    expect(project.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
  },
)

it.skipIf(process.platform === 'win32')(
  'does not wait for a named pipe in a folder that a borrowed folder borrows from',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const [first, second] = [await temporaryDir(), await temporaryDir()]
    for (const dir of [first, second])
      for (const name of ['info', 'pack']) await mkdir(path.join(dir, name))
    const pack = path.join(second, 'pack', `pack-${'1'.repeat(40)}`)
    execFileSync('mkfifo', [`${pack}.idx`])
    await writeFile(`${pack}.pack`, '')
    await writeFile(path.join(first, 'info/alternates'), `${second}\n`)
    await mkdir(path.join(project.dir, '.git/objects/info'), { recursive: true })
    await project.write('.git/objects/info/alternates', `"${first}"\n`)
    const git = createGit({ env: testEnv })
    await project.write('a.txt', 'changed\n')
    await expect(git.snapshot(project.dir, { signal: limit() })).resolves.toMatchObject({
      dirty: true,
    })
  },
)
