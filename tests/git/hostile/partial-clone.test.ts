/** What an honest partial clone lacks is fetched once that was allowed, and never by a program that it names (K8). */
import { existsSync } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit, type Git } from '../../../src/main/git/index.ts'
import { makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'

/** A clone that left every file out but those of its HEAD. */
async function partialClone() {
  const base = await temporaryDir()
  const source = await makeRepository({ 'README.md': 'first\n' })
  source.git('config', 'uploadpack.allowFilter', 'true')
  source.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const first = source.git('rev-parse', 'HEAD')
  await source.write('README.md', 'second\n')
  source.commit('Second')
  source.git('clone', '-q', '--filter=blob:none', `file://${source.dir}`, path.join(base, 'clone'))
  return { dir: path.join(base, 'clone'), base, first, url: `file://${source.dir}` }
}

it('[K8] works in an honest partial clone, and fetches what is missing only once that was allowed', async () => {
  const { dir, base, first, url } = await partialClone()
  const asking = createGit({ env: testEnv })
  const worktree = (name: string, from: string) => ({
    repoDir: dir,
    path: path.join(base, name),
    branch: name,
    from,
  })
  const head = (await asking.head(dir)) ?? ''
  await expect(asking.lacksObjects({ dir, commit: head })).resolves.toBe(false)
  await asking.createWorktree(worktree('one', head))
  await expect(asking.lacksObjects({ dir, commit: first })).resolves.toBe(true)
  await expect(asking.createWorktree(worktree('two', first))).rejects.toThrow(
    `would have to be fetched from ${url}`,
  )
  const config = await asking.repositoryConfig(dir)
  expect(config).toMatchObject({ commands: [], fetches: [{ remote: 'origin', url }] })

  const allowing = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === config?.sha256 })
  await allowing.createWorktree(worktree('two', first))
  expect(await readFile(path.join(base, 'two/README.md'), 'utf8')).toBe('first\n')
})

it('[K8] fetches nothing by a program that the repository names, and runs no helper of it', async () => {
  const { dir, base, first } = await partialClone()
  const marker = path.join(base, 'sprung')
  const create = async (name: string) => {
    const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
    const git = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
    const place = { repoDir: dir, path: path.join(base, name), branch: name, from: first }
    return git.createWorktree(place)
  }
  const command = `touch '${marker}'; git-upload-pack`
  const config = path.join(dir, '.git/config')
  const before = await readFile(config, 'utf8')
  await appendFile(config, `[remote "origin"]\n\tuploadpack = "${command}"\n`)
  await expect(create('a')).rejects.toThrow('names a program for fetching')
  await writeFile(config, `${before}[credential]\n\thelper = "!${command}"\n`)
  await create('b')
  expect(existsSync(path.join(base, 'b/README.md'))).toBe(true)
  expect(existsSync(marker)).toBe(false)
})

it.each([
  ['http', 'sslVerify = false'],
  ['http', 'curloptResolve = example.com:443:127.0.0.1'],
  ['http "https://example.com"', 'cookieFile = ../outside'],
  ['http', 'extraHeader = A: b'],
])('[K8] fetches nothing where the repository has [%s] %s', async (section, setting) => {
  const { dir, base, first } = await partialClone()
  await appendFile(path.join(dir, '.git/config'), `[${section}]\n\t${setting}\n`)
  const git = await allowingNow(dir)
  const place = { repoDir: dir, path: path.join(base, 'a'), branch: 'a', from: first }
  await expect(git.createWorktree(place)).rejects.toThrow('http')
})

it('[K8] fetches where the repository sets how fast, or through which proxy', async () => {
  const { dir, base, first } = await partialClone()
  await appendFile(path.join(dir, '.git/config'), '[http]\n\tpostBuffer = 1000000\n\tproxy = x\n')
  const git = await allowingNow(dir)
  await git.createWorktree({ repoDir: dir, path: path.join(base, 'a'), branch: 'a', from: first })
})

/** Allows what a repository asks for now, and nothing that it asks for later. */
async function allowingNow(dir: string): Promise<Git> {
  const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
  return createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
}

const remoteWithProgram = (name: string, marker: string, setting: string) =>
  `[remote "${name}"]\n\turl = .\n\t${setting}\n\tuploadpack = "touch '${marker}'; false"\n`

it.each([
  ['other', 'promisor = true'],
  ['', 'promisor = true'],
  // Git fetches from such a remote too.
  ['other', 'partialclonefilter = blob:none'],
  ['other', 'promisor = false\n\tpartialclonefilter = blob:none'],
])(
  '[K8] runs no program of a remote "%s" with "%s" once a fetch was allowed',
  async (name, setting) => {
    const { dir, base, first, url } = await partialClone()
    const marker = path.join(base, 'sprung')
    const git = await allowingNow(dir)
    // Git asks the next remote when the first one does not have it.
    await rm(path.join(url.replace('file://', ''), '.git'), { recursive: true })
    await appendFile(path.join(dir, '.git/config'), remoteWithProgram(name, marker, setting))
    const place = { repoDir: dir, path: path.join(base, 'a'), branch: 'a', from: first }
    await expect(git.createWorktree(place)).rejects.toThrow('names a program for fetching')
    expect(existsSync(marker)).toBe(false)
  },
)

it('[K8] lets the repository that a fetch was allowed from fetch nothing itself', async () => {
  const { dir, base, first, url } = await partialClone()
  const marker = path.join(base, 'sprung')
  const source = openRepository(url.replace('file://', ''))
  const blob = source.git('rev-parse', `${first}:README.md`)
  await appendFile(
    path.join(source.dir, '.git/config'),
    `[extensions]\n\tpartialClone = trap\n${remoteWithProgram('trap', marker, 'promisor = true')}`,
  )
  source.git('config', 'core.repositoryFormatVersion', '1')
  await rm(path.join(source.dir, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  const git = await allowingNow(dir)
  const place = { repoDir: dir, path: path.join(base, 'a'), branch: 'a', from: first }
  await expect(git.createWorktree(place)).rejects.toThrow()
  expect(existsSync(marker)).toBe(false)
})
