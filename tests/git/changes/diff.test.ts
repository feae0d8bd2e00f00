import { expect, it } from 'vitest'
import { diffBytesMax } from '../../../src/main/git/index.ts'
import { git, makeRepository, temporaryDir } from '../repository.ts'

it('shows commits, uncommitted and untracked work since the base, with renames', async () => {
  const project = await makeRepository({
    '.gitignore': '*.log\n',
    'old.txt': 'a\nb\nc\nd\ne\nf\n',
    'gone.txt': 'x\n',
    'é è.txt': 'one\n',
  })
  const baseCommit = project.git('rev-parse', 'HEAD')
  project.git('mv', 'old.txt', 'new.txt')
  await project.write('new.txt', 'a\nb\nc\nd\ne\nF\n')
  project.commit('Renamed')
  project.git('rm', '--quiet', 'gone.txt')
  await project.write('é è.txt', 'one\ntwo\n')
  await project.write('data.bin', new Uint8Array([0, 1, 2]))
  await project.write('tab\tname', 'x')
  await project.write('x.log', '')
  const before = await project.account()

  const answer = await git.diff({ dir: project.dir, baseCommit })

  expect(answer).toMatchObject({ kind: 'diff', truncated: false })
  if (answer.kind !== 'diff') return
  const found = answer.files.map(({ contentId, ...file }) => file)
  expect(answer.files.find(({ path }) => path === 'new.txt')?.contentId).toBe(
    project.git('hash-object', 'new.txt'),
  )
  expect(found.toSorted((a, b) => a.path.localeCompare(b.path, 'en'))).toEqual([
    { path: 'data.bin', change: 'added', oldPath: null, additions: null, deletions: null },
    { path: 'é è.txt', change: 'modified', oldPath: null, additions: 1, deletions: 0 },
    { path: 'gone.txt', change: 'deleted', oldPath: null, additions: 0, deletions: 1 },
    { path: 'new.txt', change: 'renamed', oldPath: 'old.txt', additions: 1, deletions: 1 },
    { path: 'tab\tname', change: 'added', oldPath: null, additions: 1, deletions: 0 },
  ])
  expect(answer.patch).toContain('diff --git a/é è.txt b/é è.txt')
  expect(answer.patch).toContain('rename from old.txt')
  expect(await project.account()).toEqual(before)
})

it('counts without the text of the changes', async () => {
  const project = await makeRepository({ 'a.txt': 'one\ntwo\n' })
  const baseCommit = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', 'one\nthree\nfour\n')
  await expect(
    git.diff({ dir: project.dir, baseCommit, shown: { patch: false } }),
  ).resolves.toEqual({
    kind: 'diff',
    tree: (await git.snapshot(project.dir)).tree,
    files: [
      {
        path: 'a.txt',
        change: 'modified',
        oldPath: null,
        additions: 2,
        deletions: 1,
        contentId: project.git('hash-object', 'a.txt'),
      },
    ],
    patch: '',
    truncated: false,
  })
})

it('shows one file whole, under the name that it had before too, and takes white space for nothing', async () => {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`)
  const project = await makeRepository({ 'a.txt': lines.join('\n'), 'b [1].txt': 'x\n  y\n' })
  const baseCommit = project.git('rev-parse', 'HEAD')
  project.git('mv', 'a.txt', 'c.txt')
  await project.write('c.txt', lines.with(20, 'changed').join('\n'))
  await project.write('b [1].txt', 'x\n\ty\n')
  const shown = { file: { paths: ['c.txt', 'a.txt'], whole: true } }
  const one = await git.diff({ dir: project.dir, baseCommit, shown })
  if (one.kind !== 'diff') throw new Error(one.reason)
  expect(one.files).toHaveLength(2)
  expect(one.patch).toContain('rename from a.txt')
  expect(one.patch).toContain('\n line 0\n')
  expect(one.patch).not.toContain('b [1].txt')
  const options = { ignoreSpace: true, file: { paths: ['b [1].txt'], whole: false } }
  const spaces = await git.diff({ dir: project.dir, baseCommit, shown: options })
  expect(spaces).toMatchObject({ patch: expect.not.stringContaining('@@') })
})

it('is empty when nothing was changed', async () => {
  const project = await makeRepository()
  const baseCommit = project.git('rev-parse', 'HEAD')
  await expect(git.diff({ dir: project.dir, baseCommit })).resolves.toEqual({
    kind: 'diff',
    tree: project.git('rev-parse', 'HEAD^{tree}'),
    files: [],
    patch: '',
    truncated: false,
  })
})

it('cuts a long patch before a hunk or a file, never inside one', async () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `line number ${i} of a long file\n`)
  const project = await makeRepository({ 'a.txt': 'short\n', 'b.txt': lines.join('') })
  const baseCommit = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', 'changed\n')
  const edited = lines.map((text, i) => (i % 10 === 0 ? `edited ${i}\n` : text))
  await project.write('b.txt', edited.join(''))
  const answer = await git.diff({ dir: project.dir, baseCommit })
  expect(answer).toMatchObject({ kind: 'diff', truncated: true })
  if (answer.kind !== 'diff') return
  expect(answer.patch.length).toBeLessThanOrEqual(diffBytesMax)
  expect(answer.patch.length).toBeGreaterThan(diffBytesMax / 2)
  expect(answer.files).toHaveLength(2)
  const [, header = '', ...body] = answer.patch.slice(answer.patch.lastIndexOf('\n@@ ')).split('\n')
  const [, oldLines, newLines] = /^@@ -\d+,(\d+) \+\d+,(\d+) @@/.exec(header) ?? []
  expect(body.filter((text) => /^[ -]/.test(text))).toHaveLength(Number(oldLines))
  expect(body.filter((text) => /^[ +]/.test(text))).toHaveLength(Number(newLines))
})

it('leaves out a file whose first hunk alone is too long', async () => {
  const project = await makeRepository({ 'a.txt': 'short\n' })
  const baseCommit = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', 'changed\n')
  await project.write('b.txt', 'a line of text\n'.repeat(200_000))
  const answer = await git.diff({ dir: project.dir, baseCommit })
  expect(answer).toMatchObject({ truncated: true, patch: expect.stringContaining('+changed\n') })
  expect(answer).not.toMatchObject({ patch: expect.stringContaining('b.txt') })
})

it('says when there is nothing to compare', async () => {
  const project = await makeRepository()
  const unavailable = { kind: 'not-available' }
  await expect(git.diff({ dir: await temporaryDir(), baseCommit: null })).resolves.toEqual({
    ...unavailable,
    reason: 'not-a-repository',
  })
  for (const baseCommit of [null, 'f'.repeat(40)]) {
    await expect(git.diff({ dir: project.dir, baseCommit })).resolves.toEqual({
      ...unavailable,
      reason: 'no-base-commit',
    })
  }
})

it('compares two commits', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const from = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', 'b\n')
  const to = project.commit('Second')
  await expect(git.diffCommits({ repoDir: project.dir, from, to })).resolves.toMatchObject({
    files: [{ path: 'a.txt', change: 'modified', additions: 1, deletions: 1 }],
    patch: expect.stringContaining('-a\n+b\n'),
    truncated: false,
  })
})
