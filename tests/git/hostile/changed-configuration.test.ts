/** A configuration that changes between two calls is seen by the second (K8). */
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { totalBytes } from '../../../src/shared/collections/total-bytes.ts'
import { makeRepository, temporaryDir, testEnv } from '../repository.ts'

it.each([
  { place: 'a folder around it', other: '..' },
  { place: 'a folder beside it', other: '../other' },
])('[K8] refuses a repository that says its files are in $place', async ({ other }) => {
  const project = await makeRepository({ 'src/a.txt': 'a\n' })
  await mkdir(path.join(project.dir, '../other'))
  project.git('config', 'core.worktree', path.resolve(project.dir, other))
  const git = createGit({ env: testEnv })
  await expect(git.inspectProject(project.dir)).rejects.toThrow('core.worktree')
  await expect(git.inspectProject(path.join(project.dir, 'src'))).rejects.toThrow('core.worktree')
  await expect(git.snapshot(project.dir)).rejects.toThrow('core.worktree')
})

it('[K8] refuses one that says so later, though HEAD has not moved since it was read', async () => {
  const project = await makeRepository()
  const git = createGit({ env: testEnv })
  expect(await git.inspectProject(project.dir)).toMatchObject({ topLevel: project.dir })
  project.git('config', 'core.worktree', path.dirname(project.dir))
  await expect(git.inspectProject(project.dir)).rejects.toThrow('core.worktree')
  await expect(git.snapshot(project.dir)).rejects.toThrow('core.worktree')
})

const trapFilter = '[filter "trap"]\n\tclean = false\n'

it('[K8] sees the configuration of a worktree that came after the first look', async () => {
  const project = await makeRepository()
  project.git('config', 'extensions.worktreeConfig', 'true')
  const git = createGit({ env: testEnv })
  await expect(git.repositoryConfig(project.dir)).resolves.toBe(null)
  await project.write('.git/config.worktree', trapFilter)
  await expect(git.repositoryConfig(project.dir)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees the configuration of another repository that a .git came to name', async () => {
  const project = await makeRepository()
  const git = createGit({ env: testEnv })
  await expect(git.repositoryConfig(project.dir)).resolves.toBe(null)
  const other = await makeRepository()
  await appendFile(path.join(other.dir, '.git/config'), trapFilter)
  await project.write('.git/commondir', path.join(other.dir, '.git'))
  await expect(git.repositoryConfig(project.dir)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees the configuration of a repository that was made between a folder and its repository', async () => {
  const project = await makeRepository({ 'a/b/file.txt': 'text\n' })
  const git = createGit({ env: testEnv })
  const below = path.join(project.dir, 'a/b')
  await expect(git.repositoryConfig(below)).resolves.toBe(null)
  project.git('init', '-q', 'a')
  await appendFile(path.join(project.dir, 'a/.git/config'), trapFilter)
  await expect(git.repositoryConfig(below)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees a change in the moment after the configuration was read', async () => {
  const project = await makeRepository()
  const base = await temporaryDir()
  const gitPath = path.join(base, 'git')
  const config = path.join(project.dir, '.git/config')
  await writeFile(path.join(base, 'change'), trapFilter)
  const script = `case "$*" in *--list*) git "$@"; cat '${base}/change' >> '${config}' && rm -f '${base}/change';; *) exec git "$@";; esac`
  await writeFile(gitPath, `#!/bin/sh\n${script} 2>/dev/null\ntrue\n`)
  await chmod(gitPath, 0o755)
  const git = createGit({ env: testEnv, gitPath })
  await expect(git.repositoryConfig(project.dir)).resolves.toBe(null)
  await expect(git.repositoryConfig(project.dir)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees a script that appears where an allowed filter names one', async () => {
  const repository = await makeRepository({ '.gitattributes': '*.txt filter=own\n' })
  const { dir } = repository
  const marker = path.join(await temporaryDir(), 'sprung')
  repository.git('config', 'filter.own.clean', 'sh tools/clean || cat')
  const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
  const git = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
  await writeFile(path.join(dir, 'a.txt'), 'a\n')
  await git.snapshot(dir)
  expect(await git.repositoryConfig(dir)).toEqual(asked)
  await mkdir(path.join(dir, 'tools'))
  await writeFile(path.join(dir, 'tools/clean'), `touch '${marker}'\n`)
  await writeFile(path.join(dir, 'b.txt'), 'b\n')
  await git.snapshot(dir)
  expect(existsSync(marker)).toBe(false)
  expect((await git.repositoryConfig(dir))?.sha256).not.toBe(asked?.sha256)
})

it.each([
  ['tools/clean', '. tools/lib', 'tools/lib', 'touch '],
  ['tools/clean.sh', 'cd tools && sh inner.sh; cat', 'tools/inner.sh', 'touch '],
  ['tools/clean.py', 'import lib', 'tools/lib.py', 'open("sprung", "w")#'],
])(
  '[K8] sees a change of what the script %s of an allowed filter runs',
  async (script, text, lib, evil) => {
    const files = { '.gitattributes': '*.txt filter=own\n', [script]: `${text}\n`, [lib]: '' }
    const repository = await makeRepository(files)
    const { dir } = repository
    const program = script.endsWith('.py') ? 'python3' : 'sh'
    repository.git('config', 'filter.own.clean', `${program} ${script} && cat`)
    const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
    expect(asked?.scripts.map((one) => one.path)).toEqual([script, lib].sort())
    const git = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
    await writeFile(path.join(dir, 'a.txt'), 'a\n')
    await git.snapshot(dir)
    const marker = path.join(dir, 'sprung')
    await writeFile(path.join(dir, lib), `${evil}${marker}\n`)
    await writeFile(path.join(dir, 'b.txt'), 'b\n')
    await git.snapshot(dir)
    expect(existsSync(marker)).toBe(false)
    expect((await git.repositoryConfig(dir))?.sha256).not.toBe(asked?.sha256)
  },
)

it('[K8] never allows a filter that runs more files than anybody reviews', async () => {
  const many = Array.from({ length: 60 }, (_, n) => `tools/a${n}.sh`)
  const files = Object.fromEntries(many.map((file) => [file, '']))
  const repository = await makeRepository({ ...files, 'tools/all': many.join('\n') })
  repository.git('config', 'filter.own.clean', 'sh tools/all')
  const config = () => createGit({ env: testEnv }).repositoryConfig(repository.dir)
  const [one, other] = [await config(), await config()]
  expect(one?.scripts[0]?.text).toContain('more than 50 files')
  expect(one?.sha256).not.toBe(other?.sha256)
})

it('[K8] works in no repository whose commands or remotes nobody reviews, and says so at once', async () => {
  const many = (line: (n: number) => string, count: number) =>
    Array.from({ length: count }, (_, n) => line(n)).join('')
  for (const text of [
    many((n) => `[filter "f${n}"]\n\tclean = cat\n`, 20_000),
    `[filter "own"]\n\tclean = "${'cat ; '.repeat(200_000)}"\n`,
    `[filter "${'long'.repeat(50_000)}"]\n\tclean = cat\n`,
    many((n) => `[remote "r${n}"]\n\turl = https://127.0.0.1:9/${n}\n\tpromisor = true\n`, 2_000),
    many((n) => `[hook "h${n}"]\n\tcommand = cat\n`, 20_000),
  ]) {
    const { dir } = await makeRepository()
    await appendFile(path.join(dir, '.git/config'), text)
    const startedAt = performance.now()
    await expect(createGit({ env: testEnv }).inspectProject(dir)).rejects.toThrow(
      /names .* more than anybody reviews/,
    )
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  }
})

it('works in no repository with so many settings that each call of Git would take a second', async () => {
  const { dir } = await makeRepository()
  const lines = Array.from({ length: 150_000 }, (_, n) => `\tk${n} = ${'value'.repeat(10)}\n`)
  await appendFile(path.join(dir, '.git/config'), `[x]\n${lines.join('')}`)
  await expect(createGit({ env: testEnv }).inspectProject(dir)).rejects.toThrow(
    'more settings than Git reads in a second: see .git/config',
  )
})

it('[K8] shows no more of the scripts of a filter than anybody reads, and sees a change in all of them', async () => {
  const texts = Array.from(
    { length: 40 },
    (_, n) => `sh tools/a${n + 1}.sh\n${'# a line\n'.repeat(6_000)}`,
  )
  const files = Object.fromEntries(texts.map((text, n) => [`tools/a${n}.sh`, text]))
  const repository = await makeRepository(files)
  repository.git('config', 'filter.own.clean', 'sh tools/a0.sh')
  const config = () => createGit({ env: testEnv }).repositoryConfig(repository.dir)
  const before = await config()
  expect(before?.scripts).toHaveLength(40)
  expect(
    totalBytes(before?.scripts.map(({ text }) => ({ bytes: text.length })) ?? []),
  ).toBeLessThan(300_000)
  for (const name of ['tools/a1.sh', 'tools/a39.sh']) {
    await appendFile(path.join(repository.dir, name), 'other\n')
    expect((await config())?.sha256).not.toBe(before?.sha256)
    await repository.write(name, files[name] ?? '')
  }
  expect((await config())?.sha256).toBe(before?.sha256)
})
