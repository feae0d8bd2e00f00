/** Commands that were approved, run by Shiplog or by a shell, with a `gh` that refuses what the real one refuses. */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../src/main/git/index.ts'
import { createCustody } from '../../src/main/processes/custody.ts'
import { createGithubCli } from '../../src/main/publish/github-cli.ts'
import { createPublishService } from '../../src/main/publish/publish-service.ts'
import type { PublishRequest } from '../../src/shared/contract/changes/publish.ts'
import { planPublish } from '../../src/shared/git/plan-publish.ts'
import { publishCommands } from '../../src/shared/git/publish-commands.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { git, gitProject, temporaryDir } from '../harness.ts'
import { createWorld } from '../retention/tasks.ts'

/** Knows the two commands that are used, and their flags; needs a sign-in, and opens one pull request a branch. */
const fakeGh = `
const fs = require('node:fs')
const home = process.env.GH_CONFIG_DIR
const fail = (code, text) => { process.stderr.write(text + '\\n'); process.exit(code) }
const args = process.argv.slice(2)
const flags = {}
for (let at = 2; at < args.length; at += 2) {
  if (!/^--(hostname|repo|head|base|title|body)$/.test(args[at])) fail(1, 'unknown flag: ' + args[at])
  if (args[at + 1] === undefined) fail(1, 'flag needs an argument: ' + args[at])
  flags[args[at].slice(2)] = args[at + 1]
}
const host = flags.hostname ?? (flags.repo ?? '').split('/')[0]
const signedIn = fs.existsSync(home + '/hosts.yml') && fs.readFileSync(home + '/hosts.yml', 'utf8').includes(host + ':')
const command = args.slice(0, 2).join(' ')
if (command === 'auth status') {
  if (!signedIn) fail(1, 'You are not logged into any accounts on ' + host)
  process.exit(0)
}
if (command !== 'pr create') fail(1, 'unknown command "' + args[0] + '" for "gh"')
if (!signedIn) fail(4, 'To get started with GitHub CLI, please run:  gh auth login')
if (!/^[^/]+\\/[^/]+\\/[^/]+$/.test(flags.repo ?? '')) fail(1, 'expected the "[HOST/]OWNER/REPO" format')
if (process.stdin.isTTY !== true && (flags.title === undefined || flags.body === undefined))
  fail(1, 'must provide \`--title\` and \`--body\` when not running interactively')
if (fs.existsSync(home + '/refuses')) fail(1, fs.readFileSync(home + '/refuses', 'utf8'))
const opened = home + '/opened-' + flags.head.replaceAll('/', '-')
if (fs.existsSync(opened))
  fail(1, 'a pull request for branch "' + flags.head + '" into branch "' + flags.base + '" already exists:\\nhttps://github.com/harbour/lights/pull/7')
fs.writeFileSync(opened, JSON.stringify({ flags, cwd: process.cwd(), inside: fs.readdirSync('.') }))
process.stderr.write('\\nCreating pull request for ' + flags.head + ' into ' + flags.base + ' in harbour/lights\\n\\n')
process.stdout.write('https://github.com/harbour/lights/pull/7\\n')
`

async function published({ isInstalled = true, isServer = true, remote = '' } = {}) {
  const dir = await temporaryDir()
  const worktree = await gitProject(join(dir, "it's here"))
  const origin = join(dir, 'origin.git')
  git(dir, 'init', '-q', '--bare', origin)
  git(worktree, 'remote', 'add', 'origin', remote || origin)
  git(worktree, 'switch', '-q', '-c', 'agent/fix')
  await writeFile(join(worktree, 'new.txt'), 'new\n')
  const bin = join(dir, 'bin')
  await mkdir(bin)
  const program = `#!${process.execPath}\n${fakeGh}`
  await writeFile(join(bin, 'gh'), program, { mode: 0o755 })
  const world = createWorld()
  const taskId = world.add({ archived: false })
  const task = world.state.tasks.get(taskId) ?? expect.unreachable()
  const workspace = task.workspace ?? expect.unreachable()
  world.state.tasks.set(taskId, {
    ...task,
    workspace: { ...workspace, path: worktree, branch: 'agent/fix', isolation: 'worktree' },
  })
  const linked: string[] = []
  const env = {
    ...process.env,
    GH_CONFIG_DIR: dir,
    GIT_CONFIG_GLOBAL: join(dir, 'gitconfig'),
  }
  await writeFile(env.GIT_CONFIG_GLOBAL, '[user]\nname = Ada\nemail = a@localhost\n')
  const realGit = createGit({ env })
  const service = createPublishService({
    tasks: world.state.tasks,
    // A folder stands for the repository of a server.
    git: {
      ...realGit,
      remoteName: () => 'github.com/harbour/lights',
      pushAddress: async (at) => ({ ...(await realGit.pushAddress(at)), isFolder: !isServer }),
    },
    gh: createGithubCli({
      custody: createCustody(join(dir, 'running')),
      hostEnv: env,
      find: async () =>
        isInstalled ? { file: join(bin, 'gh'), path: process.env.PATH ?? '' } : null,
    }),
    exclusively: (_: TaskId, work) => work(),
    linkPullRequest: async (_, url) => linked.push(url) > 0,
  })
  const run = async (request: PublishRequest) => {
    const commands = publishCommands(planPublish(await service.state(taskId), request))
    return service.run(taskId, request, commands)
  }
  const signIn = () => writeFile(join(dir, 'hosts.yml'), 'github.com:\n    user: ada\n')
  return { dir, worktree, origin, bin, env, taskId, service, run, signIn, linked }
}

const body = 'One\n\n\ttwo `id` \\ "three"\u001B[2J\u0003'
const shownBody = 'One\n\n    two `id` \\ "three"␛[2J␃'

it('commits, pushes and opens a pull request with exactly the approved commands, and links it', async () => {
  const { dir, worktree, origin, taskId, service, run, signIn, linked } = await published()
  await mkdir(join(worktree, '.git', 'hooks'), { recursive: true })
  await writeFile(join(worktree, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\nexit 1\n', {
    mode: 0o755,
  })
  const subject = `Fix 'quotes' and $(touch ${join(dir, 'ran')})`
  const pullRequest = { base: 'main' }
  const request = { subject, body, pushTo: 'fix', pullRequest }
  expect((await service.state(taskId)).gh).toMatchObject({ state: 'signed-out' })
  const signedOut = await run(request)
  expect(signedOut).toMatchObject({ done: ['stage', 'commit', 'push'], url: null })
  expect(signedOut.failed).toMatchObject({
    does: 'pull-request',
    message: expect.stringContaining('gh auth login'),
  })
  expect(git(worktree, 'log', '-1', '--format=%an%n%B').trim()).toBe(
    `Ada\n${subject}\n\n${shownBody}`,
  )
  expect(git(origin, 'rev-parse', 'fix')).toBe(git(worktree, 'rev-parse', 'HEAD'))

  await signIn()
  expect(await service.state(taskId)).toMatchObject({ uncommitted: false, gh: { state: 'ready' } })
  expect(await run(request)).toMatchObject({ done: ['push', 'pull-request'], failed: null })
  const opened = JSON.parse(await readFile(join(dir, 'opened-fix'), 'utf8'))
  expect(opened.flags).toEqual({
    repo: 'github.com/harbour/lights',
    head: 'fix',
    base: 'main',
    title: subject,
    body: shownBody,
  })
  expect(opened.inside).not.toContain('.git')
  // Again: the one that is open is found.
  expect(await run(request)).toMatchObject({ url: 'https://github.com/harbour/lights/pull/7' })
  expect(linked).toEqual(Array(2).fill('https://github.com/harbour/lights/pull/7'))
  await expect(readFile(join(dir, 'ran'))).rejects.toThrow('ENOENT')
})

it('stops at the first command that fails, and shows no pull request that gh did not open', async () => {
  const { worktree, origin, run, signIn, linked, dir } = await published()
  await signIn()
  const request = { subject: 'Fix', body: '', pushTo: 'fix', pullRequest: { base: 'main' } }
  const lock = join(worktree, '.git', 'index.lock')
  await writeFile(lock, '')
  expect(await run(request)).toMatchObject({ done: [], url: null, failed: { does: 'stage' } })
  expect(git(origin, 'branch', '--list')).toBe('')
  await rm(lock)
  // gh may name another pull request in its error.
  await writeFile(join(dir, 'refuses'), 'Closed before: https://github.com/harbour/lights/pull/3')
  expect(await run(request)).toMatchObject({
    done: ['stage', 'commit', 'push'],
    url: null,
    failed: { does: 'pull-request' },
  })
  expect(linked).toEqual([])
})

it('runs nothing that was not shown, or while a repository redirects pushes', async () => {
  const { worktree, origin, taskId, service, run } = await published({ isInstalled: false })
  const request = { subject: 'Fix', body: '', pushTo: 'fix', pullRequest: null }
  const commands = publishCommands(planPublish(await service.state(taskId), request))
  await expect(service.run(taskId, { ...request, subject: 'Else' }, commands)).rejects.toThrow(
    'no longer those that were shown',
  )
  git(worktree, 'config', 'url.https://elsewhere.example/.pushInsteadOf', '/')
  await expect(run(request)).rejects.toThrow(/pushinsteadof.*Run the commands in a terminal/i)
  expect(git(worktree, 'log', '-1', '--format=%s').trim()).not.toBe('Fix')
  expect(git(origin, 'branch', '--list')).toBe('')
  expect((await service.state(taskId)).gh).toEqual({
    state: 'missing',
    reason: 'GitHub’s command line, gh, is not installed.',
  })
})

it('pushes only what was shown, to where it was shown, and starts no program that the repository names', async () => {
  const { dir, worktree, origin, run } = await published({ isInstalled: false })
  const request = { subject: 'Fix', body: '', pushTo: 'fix', pullRequest: null }
  const mark = join(dir, 'ran')
  const other = join(dir, 'other.git')
  git(dir, 'init', '-q', '--bare', other)
  // A remote whose name is the address applies to a push to that address.
  for (const [key, value] of [
    ['receivepack', `touch '${mark}'; git-receive-pack`],
    ['pushurl', other],
  ] as const) {
    git(worktree, 'config', `remote.${origin}.${key}`, value)
    await expect(run(request)).rejects.toThrow(
      new RegExp(`sets remote\\..*\\.${key}.*Run the commands in a terminal`),
    )
    git(worktree, 'config', '--unset', `remote.${origin}.${key}`)
  }

  // A server that asks for signed pushes.
  git(origin, 'config', 'receive.certNonceSeed', 'seed')
  const signer = join(dir, 'signer')
  await writeFile(signer, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`, { mode: 0o755 })
  git(worktree, 'config', 'push.gpgSign', 'true')
  git(worktree, 'config', 'gpg.program', signer)
  git(worktree, 'config', 'push.followTags', 'true')
  // Sent, this one would fail the push: the server takes no options.
  git(worktree, 'config', 'push.pushOption', 'merge_request.create')
  git(worktree, 'tag', '-a', 'v1', '-m', 'One')
  const subOrigin = join(dir, 'sub.git')
  git(dir, 'init', '-q', '--bare', subOrigin)
  git(worktree, 'init', '-q', 'sub')
  const sub = join(worktree, 'sub')
  git(sub, 'commit', '-q', '--allow-empty', '-m', 'Below')
  git(sub, 'remote', 'add', 'origin', subOrigin)
  git(sub, 'push', '-q', 'origin', 'HEAD:refs/heads/base')
  git(sub, 'fetch', '-q')
  git(sub, 'commit', '-q', '--allow-empty', '-m', 'Not pushed')
  git(sub, 'config', 'remote.origin.receivepack', `touch '${mark}'; git-receive-pack`)
  git(sub, 'config', 'push.default', 'current')
  git(sub, 'config', 'core.fsmonitor', signer)
  git(sub, 'config', 'core.hooksPath', join(dir, 'hooks'))
  await writeFile(
    join(worktree, '.gitmodules'),
    `[submodule "sub"]\n\tpath = sub\n\turl = ${subOrigin}\n`,
  )
  git(worktree, 'config', 'push.recurseSubmodules', 'on-demand')
  expect(await run(request)).toMatchObject({ done: ['stage', 'commit', 'push'], failed: null })
  expect(git(origin, 'for-each-ref', '--format=%(refname)').trim()).toBe('refs/heads/fix')
  expect(git(subOrigin, 'for-each-ref', '--format=%(refname)').trim()).toBe('refs/heads/base')
  expect(git(other, 'for-each-ref')).toBe('')
  await expect(readFile(mark)).rejects.toThrow('ENOENT')
})

it('does not push to an address that is the name of a remote in a file of older versions of Git', async () => {
  const { dir, worktree, run } = await published({ isInstalled: false })
  const elsewhere = join(dir, 'elsewhere.git')
  git(dir, 'init', '-q', '--bare', elsewhere)
  git(worktree, 'config', 'remote.origin.url', 'harbour:lights.git')
  await mkdir(join(worktree, '.git', 'remotes'))
  await writeFile(join(worktree, '.git', 'remotes', 'harbour:lights.git'), `URL: ${elsewhere}\n`)
  const request = { subject: 'Fix', body: '', pushTo: 'fix', pullRequest: null }
  await expect(run(request)).rejects.toThrow('sets .git/remotes/harbour:lights.git')
  expect(git(elsewhere, 'for-each-ref')).toBe('')
})

it.each([
  ['origin.git', 'would run the hooks of that repository'],
  ['--receive-pack=touch ran', 'would be an option of Git'],
])('does not push to the address %s', async (remote, why) => {
  const { dir, origin, worktree, run } = await published({ isInstalled: false, isServer: false })
  const hook = join(origin, 'hooks', 'pre-receive')
  await writeFile(hook, `#!/bin/sh\ntouch '${join(dir, 'ran')}'\n`, { mode: 0o755 })
  git(worktree, 'config', 'remote.origin.url', remote === 'origin.git' ? origin : remote)
  const request = { subject: 'Fix', body: '', pushTo: 'fix', pullRequest: null }
  await expect(run(request)).rejects.toThrow(why)
  expect(git(origin, 'for-each-ref')).toBe('')
})

it('does the same from a terminal, with texts quoted for the shell', async () => {
  const { dir, worktree, origin, bin, env, taskId, service, signIn } = await published()
  await signIn()
  const subject = `Fix 'quotes' and $(touch ${join(dir, 'ran')})`
  const request = { subject, body, pushTo: 'fix', pullRequest: { base: null } }
  const commands = publishCommands(planPublish(await service.state(taskId), request))
  expect(commands).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
  execFileSync('sh', ['-c', commands], {
    cwd: dir,
    stdio: 'pipe',
    env: { ...env, PATH: `${bin}:${process.env.PATH}` },
  })
  expect(git(worktree, 'log', '-1', '--format=%B').trim()).toBe(`${subject}\n\n${shownBody}`)
  expect(git(origin, 'rev-parse', 'fix')).toBe(git(worktree, 'rev-parse', 'HEAD'))
  expect(JSON.parse(await readFile(join(dir, 'opened-fix'), 'utf8')).flags).toMatchObject({
    title: subject,
    body: shownBody,
  })
})

it('answers for a gh that ends before its start is recorded', async () => {
  const dir = await temporaryDir()
  const gh = createGithubCli({
    custody: {
      begin: async () => ({
        dir,
        environment: {},
        ended: async () => {},
        started: () => new Promise((resolve) => setTimeout(resolve, 300)),
      }),
    },
    hostEnv: process.env,
    find: async () => ({ file: '/bin/true', path: '' }),
  })
  expect(await gh.run('task', [])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})
