/** Named pipes in the places of files that Git opens without a look: nothing waits for them. */
import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { borrowedBy } from '../../../src/main/git/command/named-folders.ts'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { createGit } from '../../../src/main/git/index.ts'
import { makeRepository, temporaryDir, testEnv } from '../repository.ts'

/** So that a call that waits fails, and leaves no process. */
const limit = () => AbortSignal.timeout(20_000)

it.skipIf(process.platform === 'win32')(
  'takes a working tree whose rules and attributes are named pipes as one without',
  async () => {
    const project = await makeRepository({
      'a.txt': 'a\n',
      'sub/b.txt': 'b\n',
      '.gitignore': 'x\n',
    })
    await rm(path.join(project.dir, '.gitignore'))
    await mkdir(path.join(project.dir, 'deep/er'), { recursive: true })
    for (const pipe of ['.gitignore', '.gitattributes', 'sub/.gitattributes', 'deep/er/.gitignore'])
      execFileSync('mkfifo', [path.join(project.dir, pipe)])
    await project.write('sub/b.txt', 'other\n')
    await project.write('deep/er/new.txt', 'new\n')
    const git = createGit({ env: testEnv })
    const { tree } = await git.snapshot(project.dir, { signal: limit() })
    const names = project.git('ls-tree', '-r', '--name-only', tree).split('\n')
    expect(names).toEqual(expect.arrayContaining(['a.txt', 'deep/er/new.txt', 'sub/b.txt']))
    expect(project.git('cat-file', 'blob', `${tree}:sub/b.txt`)).toBe('other')
    expect(names).not.toContain('deep/er/.gitignore')
  },
)

it.skipIf(process.platform === 'win32')(
  'reads named pipes in the places of files of .git as empty',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const info = path.join(project.dir, '.git/info')
    await rm(info, { recursive: true, force: true })
    await mkdir(info)
    const pipes = ['exclude', 'attributes'].map((name) => path.join(info, name))
    execFileSync('mkfifo', pipes)
    await project.write('a.txt', 'changed\n')
    const git = createGit({ env: testEnv })
    const { tree } = await git.snapshot(project.dir, { signal: limit() })
    await rm(info, { recursive: true })
    expect(project.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
  },
)

it.skipIf(process.platform === 'win32')(
  'reads named pipes among the objects as empty',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const objects = path.join(project.dir, '.git/objects')
    await mkdir(path.join(objects, 'info'), { recursive: true })
    const pipes = ['info/alternates', 'info/commit-graph', 'pack/multi-pack-index']
    execFileSync(
      'mkfifo',
      pipes.map((name) => path.join(objects, name)),
    )
    await project.write('a.txt', 'changed\n')
    const git = createGit({ env: testEnv })
    const { tree } = await git.snapshot(project.dir, { signal: limit() })
    // From a folder outside of the repository, as where files are checked out for an apply.
    const run = createRunGit({ env: testEnv })
    const named = { GIT_DIR: path.join(project.dir, '.git') }
    const options = { cwd: await temporaryDir(), env: named, signal: limit() }
    const show = ['cat-file', 'blob', 'HEAD:a.txt']
    expect(String((await run(show, options)).stdout)).toBe('a\n')
    const other = { cwd: await temporaryDir(), signal: limit() }
    const asked = await run(['--git-dir', named.GIT_DIR, ...show], other)
    expect(String(asked.stdout)).toBe('a\n')
    for (const name of pipes) await rm(path.join(objects, name))
    expect(project.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
  },
)

it.skipIf(process.platform === 'win32')(
  'reads named pipes in a folder that objects are borrowed from as empty',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const borrowed = await temporaryDir()
    for (const name of ['info', 'pack']) await mkdir(path.join(borrowed, name))
    const pack = path.join(borrowed, 'pack', `pack-${'1'.repeat(40)}`)
    execFileSync('mkfifo', [`${pack}.idx`, path.join(borrowed, 'info/alternates')])
    await writeFile(`${pack}.pack`, '')
    await mkdir(path.join(project.dir, '.git/objects/info'), { recursive: true })
    await project.write('.git/objects/info/alternates', `${borrowed}\n`)
    const git = createGit({ env: testEnv })
    await project.write('a.txt', 'changed\n')
    await expect(git.snapshot(project.dir, { signal: limit() })).resolves.toMatchObject({
      dirty: true,
    })
  },
)

it.skipIf(process.platform === 'win32')(
  'reads named pipes as empty in a folder that another repository borrows from',
  async () => {
    // A path that is quoted in lists of paths.
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const borrowed = path.join(await temporaryDir(), 'a:b')
    await mkdir(path.join(borrowed, 'info'), { recursive: true })
    const pipe = path.join(borrowed, 'info/alternates')
    execFileSync('mkfifo', [pipe])
    const alternates = path.join(project.dir, '.git/objects/info/alternates')
    await mkdir(path.dirname(alternates), { recursive: true })
    await writeFile(alternates, `${borrowed}\n`)
    const other = await makeRepository({ 'b.txt': 'b\n' })
    const run = createRunGit({ env: testEnv })
    const show = ['cat-file', '-t', '1'.repeat(40)]
    for (const objects of [path.join(project.dir, '.git/objects'), `"${borrowed}"`]) {
      const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }
      await expect(run(show, { cwd: other.dir, env, signal: limit() })).rejects.toMatchObject({
        exitCode: 128,
      })
    }
  },
)

it.skipIf(process.platform === 'win32')(
  'ends a call that waits in one of more folders than it looks into',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const borrowed = await temporaryDir()
    await mkdir(path.join(borrowed, 'info'))
    execFileSync('mkfifo', [path.join(borrowed, 'info/alternates')])
    const missing = Array.from({ length: 1500 }, (_, at) => `/missing/${at}\n`).join('')
    await mkdir(path.join(project.dir, '.git/objects/info'), { recursive: true })
    await project.write('.git/objects/info/alternates', `${missing}${borrowed}\n`)
    const run = createRunGit({ env: testEnv })
    const call = run(['status'], { cwd: project.dir, signal: limit() })
    await expect(call).rejects.toThrow('.git/objects/info/alternates')
  },
)

it.skipIf(process.platform === 'win32')(
  'fails with what Git says where the index of the user is a named pipe',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const index = path.join(project.dir, '.git/index')
    await rm(index)
    execFileSync('mkfifo', [index])
    await project.write('a.txt', 'changed\n')
    const git = createGit({ env: testEnv })
    await expect(git.snapshot(project.dir, { signal: limit() })).rejects.toMatchObject({
      kind: 'git',
      message: expect.stringContaining('index file smaller than expected'),
    })
  },
)

it.skipIf(process.platform === 'win32').each([
  { what: 'a named pipe', make: (file: string) => void execFileSync('mkfifo', [file]) },
  { what: 'a device without end', make: (file: string) => symlinkSync('/dev/zero', file) },
])('passes over $what that the configuration names as a file with rules', async ({ make }) => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const elsewhere = await temporaryDir()
  const names = { 'core.excludesFile': 'ignored', 'core.attributesFile': 'attributes' }
  for (const [key, name] of Object.entries(names)) {
    make(path.join(elsewhere, name))
    project.git('config', key, path.join(elsewhere, name))
  }
  await project.write('a.txt', 'changed\n')
  const git = createGit({ env: testEnv })
  const { tree } = await git.snapshot(project.dir, { signal: limit() })
  expect(project.git('cat-file', 'blob', `${tree}:a.txt`)).toBe('changed')
})

it.skipIf(process.platform === 'win32').each([
  { what: 'a named pipe', make: (file: string) => void execFileSync('mkfifo', [file]) },
  { what: 'a device without end', make: (file: string) => symlinkSync('/dev/zero', file) },
])('reads no names of authors from $what that the configuration names', async ({ make }) => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const names = path.join(await temporaryDir(), 'names')
  make(names)
  project.git('config', 'mailmap.file', names)
  await project.write('a.txt', 'changed\n')
  project.git('commit', '--quiet', '--all', '--message=Second')
  project.git('update-ref', 'refs/notes/ai', 'HEAD')
  const git = createGit({ env: testEnv })
  const reports = git.commitReports({ dir: project.dir, signal: limit() })
  await expect(reports).resolves.toEqual([])
  const span = { dir: project.dir, from: 'HEAD~1', to: 'HEAD', paths: [] }
  await expect(git.commitsBetween(span)).resolves.toMatchObject([{ paths: ['a.txt'] }])
})

it.skipIf(process.platform === 'win32')(
  'gives up a configuration that includes a named pipe, and says so',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const pipe = path.join(await temporaryDir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    project.git('config', 'include.path', pipe)
    const git = createGit({ env: testEnv, configMsMax: 500 })
    const options = { signal: limit() }
    for (const call of [git.inspectProject, git.snapshot])
      await expect(call(project.dir, options)).rejects.toThrow('it may include a named pipe')
  },
)

it
  .skipIf(process.platform === 'win32')
  .each(['info/attributes', 'objects/info/alternates', 'commondir', 'refs/heads/main'])(
  'refuses a repository in which a device is in the place of %s',
  async (name) => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const file = path.join(project.dir, '.git', name)
    await mkdir(path.dirname(file), { recursive: true })
    await rename(file, `${file}.aside`).catch(() => {})
    symlinkSync('/dev/zero', file)
    const git = createGit({ env: testEnv })
    const options = { signal: limit() }
    for (const call of [git.inspectProject, git.snapshot])
      await expect(call(project.dir, options)).rejects.toThrow(`${file} is a device`)
    await rm(file)
    await rename(`${file}.aside`, file).catch(() => {})
    await expect(git.snapshot(project.dir, options)).resolves.toBeDefined()
  },
)

it.skipIf(process.platform === 'win32').each([
  ['shallow', 'HEAD'],
  ['refs/heads/topic', 'topic'],
])('ends a call that waits for a device in the place of .git/%s', async (name, reference) => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const file = path.join(project.dir, '.git', name)
  await rm(file, { force: true })
  symlinkSync('/dev/ptmx', file)
  symlinkSync('/dev/null', path.join(project.dir, '.git/info/grafts'))
  const run = createRunGit({ env: testEnv })
  const args = ['log', '-1', '--format=%H', reference, '--']
  await expect(run(args, { cwd: project.dir, signal: limit() })).rejects.toMatchObject({
    message: expect.stringContaining(`.git/${name} is a device, not a file: remove it`),
  })
  await rm(file)
})

it('passes over borrowed folders with names that no system has', async () => {
  const objects = await temporaryDir()
  await mkdir(path.join(objects, 'info'))
  // Unquoted, each letter would be a string of its own: a file of 64 MB took ten seconds and 4 GB.
  const long = `"${'\\1'.repeat(100_000)}"\n`
  await writeFile(path.join(objects, 'info/alternates'), `${long}/short\n"/quo\\ted"\n`)
  expect(borrowedBy([objects])?.map(String)).toEqual(['/short', '/quoted'])
})
