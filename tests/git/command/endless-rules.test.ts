/** Rules that Git would match for years: the call ends, and names the rule. */
import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { endlessRuleAmong, endlessRuleIn } from '../../../src/main/git/command/endless-rules.ts'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { itInSoak } from '../../soak.ts'
import { git, makeRepository, temporaryDir, testEnv } from '../repository.ts'

/** So that a call that never ends fails, and leaves no process. */
const limit = () => AbortSignal.timeout(20_000)

const deep = Array(100).fill('a').join('/')
const endless = `${Array(25).fill('**/a').join('/')}/b`

it('ends a call that would match an ignore rule for years, and names the rule', async () => {
  const project = await makeRepository()
  await project.write(`${deep}/c`, 'c\n')
  await project.write('sub/.gitignore', 'x\n')
  await project.write('.gitignore', `*.log\n${endless}\n`)
  const file = path.join(project.dir, '.gitignore')
  await expect(git.snapshot(project.dir, { signal: limit() })).rejects.toThrow(
    `line 2 of ${file} has so many ** that Git might match it for years`,
  )
  await project.write('.gitignore', '*.log\n')
  await expect(git.snapshot(project.dir, { signal: limit() })).resolves.toMatchObject({
    dirty: true,
  })
})

it('ends one for an ignore rule in .git that is a link', async () => {
  const project = await makeRepository()
  await project.write(`${deep}/c`, 'c\n')
  await project.write('rules.txt', `${endless}\n`)
  await mkdir(path.join(project.dir, '.git/info'), { recursive: true })
  await rm(path.join(project.dir, '.git/info/exclude'), { force: true })
  await symlink('../../rules.txt', path.join(project.dir, '.git/info/exclude'))
  await expect(git.snapshot(project.dir, { signal: limit() })).rejects.toThrow('line 1 of')
})

itInSoak('ends one for an attribute, also in .git', async () => {
  const project = await makeRepository()
  await project.write(`${deep}/c`, 'c\n')
  await project.write('.git/info/attributes', `${endless} -text\n`)
  await expect(git.snapshot(project.dir, { signal: limit() })).rejects.toThrow('line 1 of')
})

it('knows how many tries a rule costs where folders are deep', async () => {
  const dir = await temporaryDir()
  const file = path.join(dir, '.gitignore')
  const lineOf = async (rule: string, depth: number, afterMs = 1_000) => {
    await writeFile(file, `plain\n${rule}\n`)
    const why = await endlessRuleIn(file, { depth, afterMs })
    return why && Number(/^line (\d+) of/.exec(why)?.[1])
  }
  expect(await lineOf('**/a/**/b/**/c/**', 30)).toBeNull()
  expect(await lineOf('**/a/**/b/**/c', 1_000)).toBe(2)
  // In a large tree an honest call takes seconds; a path of the index may be deeper than all on the disk.
  expect(await lineOf('**/a/**/b/**/c/**/d', 10)).toBeNull()
  expect(await lineOf('**/a/**/b/**/c/**/d', 10, 61_000)).toBe(2)
  expect(await lineOf('**/a/**/b/**/c/**/d', 1_000)).toBe(2)
  expect(await lineOf('**/a/**', 4_000)).toBeNull()
})

it('ends a call that would match a rule of the commit that it checks out for years', async () => {
  const project = await makeRepository()
  const made = (args: string[], input: string) =>
    execFileSync('git', args, { cwd: project.dir, env: testEnv, input }).toString().trim()
  const blob = (text: string) => made(['hash-object', '-w', '--stdin'], text)
  let tree = made(['mktree'], `100644 blob ${blob('c')}\tc\n`)
  for (let depth = 0; depth < 100; depth++) tree = made(['mktree'], `040000 tree ${tree}\ta\n`)
  // Written before the attributes.
  const first = `040000 tree ${tree}\t-a\n`
  const attributes = `100644 blob ${blob(`${endless} text\n`)}\t.gitattributes\n`
  const commit = project.git('commit-tree', '-m', 'x', made(['mktree'], first + attributes))
  const worktree = path.join(await temporaryDir(), 'worktree')
  const creating = git.createWorktree({
    repoDir: project.dir,
    path: worktree,
    branch: 'shiplog/a',
    from: commit,
  })
  await expect(creating).rejects.toThrow(`line 1 of .gitattributes in the commit ${commit}`)
})

it('finds it after many files of rules, and after one that is too large for Git', async () => {
  const project = await makeRepository()
  const made = (args: string[], input: string | Buffer) =>
    execFileSync('git', args, { cwd: project.dir, env: testEnv, input }).toString().trim()
  const rules = (text: string | Buffer) =>
    `100644 blob ${made(['hash-object', '-w', '--stdin'], text)}\t.gitattributes\n`
  const huge = rules(Buffer.alloc(101 * 1024 * 1024, '\n'))
  const folder = made(['mktree'], rules('*.x text\n'))
  const folders = Array.from({ length: 101 }, (_, at) => `040000 tree ${folder}\tf${at}\n`)
  const [, empty] = /blob (\S+)/.exec(rules('')) ?? []
  const last = `040000 tree ${made(['mktree'], rules(`${endless} text\n`))}\tz\n`
  // Git reads the rules from the index, because the files are missing.
  project.git('read-tree', made(['mktree'], [huge, ...folders, last].join('')))
  project.git('update-index', '--add', '--cacheinfo', `100644,${empty},z/${deep}/c`)
  project.git('update-ref', 'HEAD', made(['commit-tree', project.git('write-tree')], 'x'))
  const asked = ['check-attr', '--all', '--', `z/${deep}/c`]
  const call = createRunGit({ env: testEnv })(asked, { cwd: project.dir, signal: limit() })
  await expect(call).rejects.toThrow('line 1 of z/.gitattributes in the commit HEAD')
})

itInSoak('reads rules of any number of lines', async () => {
  const all = { name: 'x', depth: 100, afterMs: 1_000, isOver: () => false }
  expect(await endlessRuleAmong(Buffer.alloc(150_000_000, '\n'), all)).toBeNull()
})

it('reads rules of any length', async () => {
  const all = { name: 'x', depth: 3_000_000, afterMs: 1_000, isOver: () => false }
  expect(await endlessRuleAmong(Buffer.alloc(4_000_000, '**/a'), all)).toContain('line 1 of x')
})

it.each([
  { key: 'core.excludesFile', rule: endless },
  { key: 'core.attributesFile', rule: `${endless} text` },
])('passes over endless rules in a file that $key names', async ({ key, rule }) => {
  const project = await makeRepository()
  await project.write(`${deep}/c`, 'c\n')
  await project.write('rules.txt', `${rule}\n`)
  await symlink('rules.txt', path.join(project.dir, 'link'))
  project.git('config', key, 'link')
  await expect(git.snapshot(project.dir, { signal: limit() })).resolves.toMatchObject({
    dirty: true,
  })
})

it('ends a call that would match a rule of a sparse checkout for years', async () => {
  const project = await makeRepository({ [`${deep}/c`]: 'c\n' })
  project.git('config', 'core.sparseCheckout', 'true')
  await mkdir(path.join(project.dir, '.git/info'), { recursive: true })
  await project.write('.git/info/sparse-checkout', `${endless}\n`)
  const call = createRunGit({ env: testEnv })(['reset', '--hard'], {
    cwd: project.dir,
    signal: limit(),
  })
  await expect(call).rejects.toThrow(/line 1 of .*sparse-checkout has so many/)
})

it('suspects a file of very many rules once a call takes long', async () => {
  const file = path.join(await temporaryDir(), '.gitignore')
  await writeFile(file, '*.log\n'.repeat(150_000))
  expect(await endlessRuleIn(file, { depth: 5, afterMs: 1_000 })).toBeNull()
  expect(await endlessRuleIn(file, { depth: 5, afterMs: 61_000 })).toContain('100,000 lines')
})
