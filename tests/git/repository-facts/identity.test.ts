/** What a repository is known by when its folder moves. */
import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import {
  git,
  makeRepository,
  openRepository,
  type Repository,
  temporaryDir,
  testEnv,
} from '../repository.ts'

const address = 'https://github.com/harbour/lights.git'
const remote = 'github.com/harbour/lights'

async function withCommits(): Promise<Repository & { root: string }> {
  const made = await makeRepository()
  const root = made.git('rev-parse', 'HEAD')
  await made.write('a.txt', 'two\n')
  made.commit('Second')
  return Object.assign(made, { root })
}

/** A repository in which nothing was committed. */
async function init(dir: string): Promise<Repository> {
  await mkdir(dir, { recursive: true })
  const made = openRepository(dir)
  made.git('init', '-q', '-b', 'main')
  made.git('config', 'user.name', 'Ada Example')
  made.git('config', 'user.email', 'ada@example.org')
  return made
}

const identify = (dir: string, known: readonly string[] = []) =>
  git.identifyRepository({ dir, known })

it('is the first commit and no remote, whatever branch is checked out and wherever it is', async () => {
  const { dir, root, ...lights } = await withCommits()
  const identity = { rootCommits: [root], remote: null, within: '' }
  expect(await identify(dir)).toEqual(identity)
  lights.git('switch', '-q', '-c', 'other')
  await lights.write('b.txt', 'b\n')
  lights.commit('Third')
  expect(await identify(dir)).toEqual(identity)
  lights.git('switch', '-q', '--detach')
  expect(await identify(dir)).toEqual(identity)
})

it('is nothing without Git, before the first commit and where nothing is', async () => {
  const { dir } = await init(path.join(await temporaryDir(), 'lights'))
  expect(await identify(dir)).toBeNull()
  const plain = await temporaryDir()
  expect(await identify(plain)).toBeNull()
  expect(await identify(path.join(plain, 'missing'))).toBeNull()
})

it('has every first commit, in one order, when histories were merged', async () => {
  const lights = await withCommits()
  lights.git('checkout', '-q', '--orphan', 'other')
  await lights.write('b.txt', 'b\n')
  const other = lights.commit('Another first')
  lights.git('switch', '-q', 'main')
  lights.git('merge', '-q', '--allow-unrelated-histories', '-m', 'Both', 'other')
  expect(await identify(lights.dir)).toMatchObject({ rootCommits: [lights.root, other].sort() })
})

it('says of a folder inside the repository which one it is', async () => {
  const lights = await withCommits()
  const dir = path.join(lights.dir, 'packages', 'lamp')
  await mkdir(dir, { recursive: true })
  expect(await identify(dir)).toEqual({
    rootCommits: [lights.root],
    remote: null,
    within: 'packages/lamp',
  })
})

it('takes the remote called origin, else the only one, else the first by name', async () => {
  const { dir, ...lights } = await withCommits()
  const remoteOf = async () => (await identify(dir))?.remote
  lights.git('remote', 'add', 'upstream', 'https://example.org/up/lights')
  expect(await remoteOf()).toBe('example.org/up/lights')
  lights.git('remote', 'add', 'fork', 'https://example.org/fork/lights')
  expect(await remoteOf()).toBe('example.org/fork/lights')
  lights.git('remote', 'add', 'origin', address)
  expect(await remoteOf()).toBe(remote)
  // Where it pushes to does not count.
  lights.git('remote', 'set-url', '--push', 'origin', 'https://example.org/push/lights')
  expect(await remoteOf()).toBe(remote)
})

it('sees through the user’s own short forms and leaves out who asks', async () => {
  const { dir, ...lights } = await withCommits()
  lights.git('config', 'url.https://ada:s3cret@github.com/.insteadOf', 'gh:')
  lights.git('remote', 'add', 'origin', 'gh:harbour/lights')
  const identity = await identify(dir)
  expect(identity?.remote).toBe(remote)
  expect(JSON.stringify(identity)).not.toMatch(/ada[:@]|s3cret/)
})

it.each([
  '--upload-pack=touch sprung',
  'ext::sh -c "touch sprung"',
  '-oProxyCommand=touch sprung',
  '$(touch sprung)',
])('runs nothing for the address %j', async (hostile) => {
  const { dir, ...lights } = await withCommits()
  lights.git('config', 'remote.origin.url', hostile)
  expect((await identify(dir))?.remote).toMatch(/^sha256:/)
  expect(lights.git('status', '--porcelain')).toBe('')
})

it('passes over a remote without an address, and a name that looks like an option', async () => {
  const { dir, ...lights } = await withCommits()
  lights.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
  expect((await identify(dir))?.remote).toBeNull()
  lights.git('config', 'remote.--upload-pack=touch sprung.url', address)
  expect((await identify(dir))?.remote).toBe(remote)
  expect(lights.git('status', '--porcelain')).toBe('')
})

it('of a shallow clone is the remote alone: its oldest commit is not the first one', async () => {
  const lights = await withCommits()
  const dir = path.join(await temporaryDir(), 'shallow')
  const clone = ['clone', '-q', '--depth', '1', `file://${lights.dir}`, dir]
  execFileSync('git', clone, { env: testEnv, stdio: 'pipe' })
  const shallow = openRepository(dir)
  expect(await identify(dir)).toEqual({
    rootCommits: [],
    remote: `file:${lights.dir}`,
    within: '',
  })
  shallow.git('remote', 'remove', 'origin')
  expect(await identify(dir)).toBeNull()
  shallow.git('fetch', '-q', '--unshallow', `file://${lights.dir}`)
  expect(await identify(dir)).toMatchObject({ rootCommits: [lights.root] })
})

it('is not deceived by replaced commits and grafts', async () => {
  const { dir, root, ...lights } = await withCommits()
  const head = lights.git('rev-parse', 'HEAD')
  lights.git('replace', '--graft', head)
  await writeFile(path.join(dir, '.git/info/grafts'), `${head}\n`)
  expect(await identify(dir)).toMatchObject({ rootCommits: [root] })
})

it('of a history with more first commits than are kept is the remote alone', async () => {
  const lights = await makeRepository()
  const tree = lights.git('hash-object', '-t', 'tree', '-w', '/dev/null')
  const roots = Array.from({ length: 40 }, (_, n) =>
    lights.git('commit-tree', '-m', `First ${n}`, tree),
  )
  const all = lights.git('commit-tree', '-m', 'All', ...roots.flatMap((id) => ['-p', id]), tree)
  lights.git('update-ref', 'refs/heads/main', all)
  lights.git('remote', 'add', 'origin', address)
  expect(await identify(lights.dir)).toEqual({ rootCommits: [], remote, within: '' })
})

it('keeps the known first commits as long as the repository has them', async () => {
  const { dir, root, ...lights } = await withCommits()
  // A branch with a history of its own is no other repository.
  lights.git('checkout', '-q', '--orphan', 'pages')
  await lights.write('b.txt', 'b\n')
  const page = lights.commit('Pages')
  expect(await identify(dir)).toMatchObject({ rootCommits: [page] })
  expect(await identify(dir, [root])).toMatchObject({ rootCommits: [root] })

  await rm(path.join(dir, '.git'), { recursive: true })
  await init(dir)
  const fresh = lights.commit('Second')
  expect(await identify(dir, [root])).toMatchObject({ rootCommits: [fresh] })
})
