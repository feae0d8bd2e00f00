import { existsSync } from 'node:fs'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import {
  git,
  makeRepository,
  openRepository,
  type Repository,
  temporaryDir,
  testEnv,
} from '../repository.ts'

const bytes = (seed: number) => Uint8Array.from({ length: 3000 }, (_, i) => (i * seed) % 256)

async function begin(files?: Record<string, string>) {
  const project = await makeRepository(files)
  const baseCommit = project.git('rev-parse', 'HEAD')
  const worktree = path.join(await temporaryDir(), 'work')
  await git.createWorktree({ repoDir: project.dir, path: worktree, branch: 'b', from: baseCommit })
  const out = await temporaryDir()
  const input = {
    dir: worktree,
    baseCommit,
    seriesPath: path.join(out, 'series.mbox'),
    worktreePath: path.join(out, 'worktree.patch'),
  }
  return { project, work: openRepository(worktree), baseCommit, input }
}
type Begun = Awaited<ReturnType<typeof begin>>

/** The tree that a fresh checkout of the base becomes by `git am` and `git apply`, as a user would do it. */
async function replay({ project, baseCommit, input }: Begun): Promise<string> {
  const dir = path.join(await temporaryDir(), 'replay')
  project.git('worktree', 'add', '--quiet', '--detach', dir, baseCommit)
  const fresh = openRepository(dir)
  if (existsSync(input.seriesPath)) fresh.git('am', '--quiet', '--keep-cr', input.seriesPath)
  if (existsSync(input.worktreePath)) fresh.git('apply', '--index', '--binary', input.worktreePath)
  return fresh.git('write-tree')
}

const treeOf = (work: Repository, commit: string): string =>
  work.git('rev-parse', `${commit}^{tree}`)

it('is none, with no files, when nothing was changed', async () => {
  const { input, baseCommit } = await begin()
  await expect(git.savePatch(input)).resolves.toMatchObject({
    status: 'none',
    headCommit: baseCommit,
    finalCommit: baseCommit,
    seriesBytes: null,
    worktreeBytes: null,
    paths: [],
  })
  expect(existsSync(input.seriesPath) || existsSync(input.worktreePath)).toBe(false)
})

it('saves work with a file that Git can’t write into a patch, in the commit alone', async () => {
  const { work, input } = await begin()
  await work.write('huge.bin', bytes(7))
  const gitPath = path.join(await temporaryDir(), 'git')
  // As Git fails from 2 GiB on.
  await writeFile(
    gitPath,
    `#!/bin/sh
case " $* " in *" --binary -p "*)
  echo "diff --git a/huge.bin b/huge.bin"
  echo "fatal: Out of memory, malloc failed (tried to allocate 18446744071827045208 bytes)" >&2
  exit 128
esac
exec git "$@"
`,
  )
  await chmod(gitPath, 0o755)
  const saved = await createGit({ env: testEnv, gitPath }).savePatch(input)
  expect(saved).toMatchObject({
    status: 'ready',
    worktreeBytes: null,
    isIncomplete: true,
    paths: ['huge.bin'],
  })
  expect(existsSync(input.worktreePath)).toBe(false)
  expect(work.git('ls-tree', '--name-only', saved.finalCommit)).toContain('huge.bin')
})

it('saves commits and uncommitted work so that both together give the final state', async () => {
  const begun = await begin({
    '.gitignore': '*.log\n',
    'old name.txt': 'a\nb\nc\nd\ne\n',
    'dos.txt': 'a\r\nb\r\n',
    'gone.txt': 'gone\n',
  })
  const { work, input, baseCommit } = begun
  await work.write('bin/ünï.bin', bytes(7))
  work.git('mv', 'old name.txt', 'new name.txt')
  work.commit('Erste Änderung\n\nWith a body.')
  await work.write('bin/ünï.bin', bytes(11))
  await work.write('dos.txt', 'a\r\nb\r\nc\r\n')
  const head = work.commit('Second')
  await work.write('run.sh', '#!/bin/sh\n')
  await work.executable('run.sh')
  await work.link('link', 'run.sh')
  await work.write('bin/ünï.bin', bytes(13))
  await work.remove('gone.txt')
  await work.write('ignored.log', '')
  const before = await work.account()

  const saved = await git.savePatch(input)

  expect(saved).toMatchObject({
    status: 'ready',
    headCommit: head,
    worktreeFrom: 'head',
    leftOut: [],
    paths: ['bin/ünï.bin', 'dos.txt', 'gone.txt', 'link', 'new name.txt', 'old name.txt', 'run.sh'],
  })
  expect(saved.seriesBytes).toBe((await stat(input.seriesPath)).size)
  expect(saved.worktreeBytes).toBe((await stat(input.worktreePath)).size)
  expect((await stat(input.worktreePath)).mode & 0o777).toBe(0o600)
  expect(work.git('rev-parse', `${saved.finalCommit}^`)).toBe(head)
  expect(await replay(begun)).toBe(treeOf(work, saved.finalCommit))
  expect(await work.account()).toEqual(before)
  expect(work.git('rev-list', '--count', `${baseCommit}..HEAD`)).toBe('2')
})

it('has a series that reads as mail, with author and message', async () => {
  const { work, input } = await begin()
  await work.write('a.txt', 'a\n')
  work.commit('Add a file\n\nBecause.')
  await git.savePatch(input)
  const series = await readFile(input.seriesPath, 'utf8')
  expect(series).toMatch(/^From [0-9a-f]{40} /)
  expect(series).toContain('From: Ada Example <ada@example.org>')
  expect(series).toContain('Subject: [PATCH] Add a file')
  expect(series).toContain('Because.')
  expect(existsSync(input.worktreePath)).toBe(false)
})

it('has a merge in the series as its change to the first parent', async () => {
  const begun = await begin({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const { work, input } = begun
  work.git('checkout', '--quiet', '-b', 'side')
  await work.write('b.txt', 'side\n')
  work.commit('On the side')
  work.git('checkout', '--quiet', 'b')
  await work.write('a.txt', 'main line\n')
  work.commit('On the main line')
  work.git('merge', '--quiet', '--no-edit', 'side')
  await work.write('a.txt', 'after\n')
  work.commit('After')
  const saved = await git.savePatch(input)
  const subjects = (await readFile(input.seriesPath, 'utf8')).match(/^Subject: .*/gm)
  expect(subjects).toEqual([
    'Subject: [PATCH 1/3] On the main line',
    "Subject: [PATCH 2/3] Merge branch 'side' into b",
    'Subject: [PATCH 3/3] After',
  ])
  expect(await replay(begun)).toBe(treeOf(work, saved.finalCommit))
})

const histories: Record<string, (work: Repository) => Promise<unknown>> = {
  'amended the base': async (work) => {
    await work.write('a.txt', 'amended\n')
    work.git('commit', '--quiet', '--all', '--amend', '--message', 'Other')
  },
  'went back behind the base': async (work) => {
    work.git('reset', '--quiet', '--hard', 'HEAD~1')
    await work.write('new.txt', 'new\n')
  },
  'began an unrelated history': async (work) => {
    work.git('checkout', '--quiet', '--orphan', 'fresh')
    await work.write('b.txt', 'b\n')
    work.commit('Unrelated')
  },
  'has no commit at all': async (work) => {
    work.git('checkout', '--quiet', '--orphan', 'fresh')
    await work.write('b.txt', 'b\n')
  },
  'merged the base into something else': async (work) => {
    work.git('checkout', '--quiet', '-b', 'other', 'HEAD~1')
    await work.write('b.txt', 'b\n')
    work.commit('Other')
    work.git('merge', '--quiet', '--no-edit', 'b')
  },
}
for (const [history, rewrite] of Object.entries(histories)) {
  it(`has one patch from the base, and no series, when the agent ${history}`, async () => {
    const project = await makeRepository({ 'a.txt': 'first\n' })
    await project.write('a.txt', 'second\n')
    const baseCommit = project.commit('Base')
    const dir = path.join(await temporaryDir(), 'work')
    await git.createWorktree({ repoDir: project.dir, path: dir, branch: 'b', from: baseCommit })
    const out = await temporaryDir()
    const input = {
      dir,
      baseCommit,
      seriesPath: path.join(out, 's'),
      worktreePath: path.join(out, 'w'),
    }
    const work = openRepository(dir)
    await rewrite(work)
    const saved = await git.savePatch(input)
    expect(saved).toMatchObject({ status: 'ready', seriesBytes: null, worktreeFrom: 'base' })
    expect(await replay({ project, work, baseCommit, input })).toBe(treeOf(work, saved.finalCommit))
  })
}

it('overwrites files of an earlier attempt, and removes obsolete ones', async () => {
  const { work, input } = await begin()
  await work.write('a.txt', 'a\n')
  await git.savePatch(input)
  expect(existsSync(input.worktreePath)).toBe(true)
  await work.remove('a.txt')
  await expect(git.savePatch(input)).resolves.toMatchObject({ status: 'none', worktreeBytes: null })
  expect(existsSync(input.worktreePath)).toBe(false)
})

it("is not changed by the user's settings for diffs", async () => {
  const begun = await begin({ 'a.txt': 'a\n\nb\n' })
  const { work, input } = begun
  const settings = [
    'diff.noprefix',
    'diff.mnemonicPrefix',
    'diff.suppressBlankEmpty',
    'format.attach',
  ]
  for (const setting of settings) work.git('config', setting, 'true')
  work.git('config', 'color.ui', 'always')
  work.git('config', 'diff.submodule', 'log')
  work.git('config', 'format.useAutoBase', 'true')
  work.git('config', 'format.coverLetter', 'true')
  work.git('config', 'format.outputDirectory', 'elsewhere')
  work.git('config', 'format.headers', 'X-Noise: yes')
  work.git('config', 'diff.algorithm', 'patience')
  await work.write('a.txt', 'A\n\nb\n')
  work.commit('One')
  await work.write('a.txt', 'A\n\nB\n')
  const saved = await git.savePatch(input)
  expect(await replay(begun)).toBe(treeOf(work, saved.finalCommit))
})

it('fails by name when the base is no commit of the repository', async () => {
  const { input } = await begin()
  await expect(git.savePatch({ ...input, baseCommit: 'f'.repeat(40) })).rejects.toMatchObject({
    kind: 'git',
  })
})

it.each([
  ['an invalid setting', '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tupdate = !x\n'],
  ['conflict markers', '<<<<<<< ours\n=======\n>>>>>>> theirs\n'],
  ['a setting to hide it', '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tignore = all\n'],
])('[R1] shows and saves a change of a submodule whose .gitmodules has %s', async (_, text) => {
  const { work, input, baseCommit } = await begin()
  work.git('init', '--quiet', 'sub')
  work.git('-C', 'sub', ...identity, 'commit', '--quiet', '--allow-empty', '--message', 'First')
  work.git('add', 'sub')
  work.git('commit', '--quiet', '--message', 'A submodule')
  await work.write('.gitmodules', text)
  const diff = await git.diff({ dir: work.dir, baseCommit })
  if (diff.kind !== 'diff') throw new Error(diff.reason)
  expect(diff.files.map(({ path: name }) => name)).toEqual(['.gitmodules', 'sub'])
  expect(diff.patch).toContain('+Subproject commit')
  const saved = await git.savePatch(input)
  expect(saved.paths).toEqual(['.gitmodules', 'sub'])
  expect(await readFile(input.seriesPath, 'utf8')).toContain('+Subproject commit')
})

const identity = ['-c', 'user.name=Sub', '-c', 'user.email=sub@example.invalid']
