/**
 * Commands of an agent in a sandbox (`project.sandbox`). Where this system can make none, the same tests check that the
 * commands run without, and that the record says so and why.
 */
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findSandbox } from '../../src/main/processes/sandbox/index.ts'
import type { SandboxSetting } from '../../src/shared/records/projects/sandbox.ts'
import { entriesOf, type Fixture, git, openFixture, start, untilQuiet } from '../harness.ts'

const { support } = await findSandbox()
const isSandboxed = support.program !== null

/** Each command's output, and what the start of the run recorded. */
async function run(
  fixture: Fixture,
  sandbox: SandboxSetting | null,
  commands: { command: string; background?: boolean }[],
  isolation: 'worktree' | 'in-place' = 'worktree',
) {
  const projectId = fixture.project.id
  if (sandbox) await fixture.shiplog.client.projects.setSandbox({ projectId, sandbox })
  const calls = commands.map(
    (input) => `      - call: bash\n        with: ${JSON.stringify(input)}`,
  )
  const scenario = `version: 1\nname: sandboxed\nagents:\n  lead:\n    turns:\n${calls.join('\n')}\n      - say: Done.\n`
  const id = await start(fixture, scenario, { isolation })
  await untilQuiet(fixture.shiplog)
  const entries = await entriesOf(fixture.shiplog, id)
  const outputs = entries.flatMap((entry) =>
    entry.type === 'tool-result' && entry.name === 'bash' ? [entry.output] : [],
  )
  return { outputs, started: entries.find((entry) => entry.type === 'run-start') }
}

it('allows commands to work and commit in the worktree, and to write nowhere else', async () => {
  const fixture = await openFixture()
  const leak = join(fixture.dataDir, 'leak')
  const { outputs, started } = await run(fixture, 'writes', [
    {
      command: 'echo new > new.txt && git add -A && git commit -qm work && export KEPT=yes && pwd',
    },
    {
      command:
        'echo $KEPT; git log --format=%s -1; f=$(mktemp) && echo x > $f && rm $f && echo temp',
    },
    { command: `echo x > '${leak}'` },
    { command: 'git config alias.x "!touch ran"' },
    { command: 'sleep 600 & echo $!' },
  ])
  expect(started).toMatchObject({ sandbox: { setting: 'writes', ...support } })
  expect(outputs[1]).toBe('yes\nwork\ntemp')
  expect(git(fixture.project.dir, 'log', '--format=%s', '--all')).toContain('work')
  if (!isSandboxed) {
    expect(started).toMatchObject({ sandbox: { program: null, why: expect.any(String) } })
    expect(outputs[2]).toBe('')
    return
  }
  expect(outputs[2]).toContain('Read-only file system')
  expect(outputs[2]).toMatch(
    /\[outside of the sandbox: commands may write only in .* temporary folders\]/,
  )
  expect(outputs[3]).toContain('[exit code')
  expect(git(fixture.project.dir, 'config', '--list')).not.toContain('alias.x')
  // Process ids in there are its own: no command sees another process of the user.
  expect(Number(outputs[4]?.split('\n')[0])).toBeLessThan(1000)
})

it('blocks the network if that is set, for background commands too', async () => {
  const fixture = await openFixture()
  const server = createServer((socket) => socket.end('reached\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
  const { outputs: open } = await run(fixture, 'writes', [{ command }])
  expect(open[0]).toBe('reached')
  const { outputs } = await run(fixture, 'writes-and-network', [{ command }])
  expect(outputs[0]?.includes('reached')).toBe(!isSandboxed)
})

it('works in place as well, where all of the repository’s `.git` stays as it is', async () => {
  const fixture = await openFixture()
  const { outputs } = await run(
    fixture,
    'writes',
    [
      { command: 'echo new > new.txt && git add -A && git commit -qm work && echo committed' },
      { command: 'git config alias.x "!touch ran"; mv .git moved' },
    ],
    'in-place',
  )
  if (isSandboxed) expect(outputs[0]).toContain('Read-only file system')
  else expect(outputs[0]).toBe('committed')
  const config = join(fixture.project.dir, isSandboxed ? '.git' : 'moved', 'config')
  expect(readFileSync(config, 'utf8').includes('touch ran')).toBe(!isSandboxed)
})

it('lets no command create the files by which Git finds a configuration', async () => {
  const fixture = await openFixture()
  git(fixture.project.dir, 'config', 'extensions.worktreeConfig', 'true')
  const trap = 'printf "[core]\\n\\tfsmonitor = touch ran\\n" >'
  const commands = [
    { command: `${trap} "$(git rev-parse --absolute-git-dir)/config.worktree"; git status` },
    { command: 'echo /tmp > "$(git rev-parse --absolute-git-dir)/commondir"' },
  ]
  for (const isolation of ['worktree', 'in-place'] as const) {
    const { outputs } = await run(fixture, 'writes', commands, isolation)
    for (const output of outputs) expect(output.includes('Read-only')).toBe(isSandboxed)
    if (!isSandboxed) return
  }
})

it('removes links in the repository that a Git outside of it would write through', async () => {
  const fixture = await openFixture()
  const outside = join(fixture.dir, 'outside')
  const links = [
    '$c/logs/refs/heads/main',
    '$c/refs/heads/linked',
    '$c/objects/ff',
    '$(git rev-parse --absolute-git-dir)/logs/HEAD',
    // In bytes that are no text.
    '$c/logs/refs/heads/$b/below',
  ]
  const make = `c=$(cd "$(git rev-parse --git-common-dir)" && pwd); b=$(printf '\\376'); mkdir -p "$c/logs/refs/heads/$b"; for l in ${links.map((one) => `"${one}"`).join(' ')}; do rm -rf "$l"; ln -s '${outside}' "$l"; done`
  const { outputs } = await run(fixture, 'writes', [
    { command: `${make}; ls -l "$c/logs/refs/heads"` },
    { command: 'find "$(git rev-parse --git-common-dir)" -type l' },
    { command: make, background: true },
    { command: 'sleep 1; find "$(git rev-parse --git-common-dir)" -type l' },
  ])
  if (!isSandboxed) return
  expect(outputs[0]).toContain(`main -> ${outside}`)
  expect(outputs[0]).toContain('[removed, because Git would follow it out of the sandbox:')
  expect(outputs[1]).toBe('')
  expect(outputs[3]).toBe('')
  git(fixture.project.dir, 'commit', '-q', '--allow-empty', '-m', 'after')
  expect(existsSync(outside)).toBe(false)
})

it('gives a command no index or folder of Shiplog’s Git to replace by a link', async () => {
  const fixture = await openFixture()
  const victim = join(fixture.dir, 'victim')
  writeFileSync(victim, 'precious')
  const before = process.env.TMPDIR
  const temporary = await mkdtemp(join(tmpdir(), 'shiplog-temporary-'))
  process.env.TMPDIR = temporary
  onTestFinished(async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(temporary, { recursive: true })
  })
  const plant = `while :; do for d in '${temporary}'/shiplog-*; do [ -d "$d" ] && ln -s '${victim}' "$d/index"; done; done`
  const scenario = `version: 1
name: planted
agents:
  lead:
    turns:
      - call: bash
        with: ${JSON.stringify({ command: plant, background: true })}
      - call: task
        with: { agent: sub, title: Sub, prompt: Go }
      - call: task_apply_patch
        with: { task: Sub }
      - say: Done.
  sub:
    turns:
      - call: write_file
        with: { path: new/a.txt, content: a }
      - report: { title: Sub, markdown: Done. }
`
  const { projectId, made } = { projectId: fixture.project.id, made: new Set<string>() }
  const watcher = watch(temporary, (_, name) => void made.add(String(name)))
  onTestFinished(() => watcher.close())
  await fixture.shiplog.client.projects.setSandbox({ projectId, sandbox: 'writes' })
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.client.tasks.applyPatch({ taskId: id })
  expect(readFileSync(victim, 'utf8')).toBe('precious')
  expect([...made].filter((name) => name.startsWith('shiplog-'))).toEqual([])
})

it('keeps a command in a folder around the data directory out of that', async () => {
  const fixture = await openFixture()
  const project = await fixture.shiplog.client.projects.add({ dir: fixture.dir })
  const { outputs } = await run(
    { ...fixture, project },
    'writes',
    [
      { command: `echo x > '${join(fixture.dir, 'made')}' && echo made` },
      { command: `echo x > '${join(fixture.dataDir, 'permissions.json')}'` },
    ],
    'in-place',
  )
  expect(outputs[0]).toBe('made')
  expect(outputs[1]?.includes('Read-only')).toBe(isSandboxed)
})

it('hides sockets of temporary folders, whose programs run commands outside of it', async () => {
  const fixture = await openFixture()
  const folder = await mkdtemp(join(tmpdir(), 'shiplog-socket-'))
  const server = createServer((socket) => socket.end('reached\n'))
  await new Promise<void>((resolve) => server.listen(join(folder, 'default'), resolve))
  onTestFinished(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  const connect = `require("node:net").connect(process.argv[1]).on("data", (d) => console.log(String(d))).on("error", () => console.log("hidden"))`
  const command = `'${process.execPath}' -e '${connect}' '${join(folder, 'default')}'`
  const { outputs } = await run(fixture, 'writes', [{ command }])
  expect(outputs[0]?.trim()).toBe(isSandboxed ? 'hidden' : 'reached')
})

it('keeps the token with which agents could be started outside of it', async () => {
  const fixture = await openFixture()
  const lease = join(fixture.dataDir, 'lease.json')
  expect(readFileSync(lease, 'utf8')).toContain('pid')
  const { outputs } = await run(fixture, 'writes', [
    { command: `cat '${lease}'` },
    { command: `ls '${fixture.dataDir}'` },
  ])
  expect(outputs[0]?.includes('pid')).toBe(!isSandboxed)
  expect(outputs[1]).toContain('lease.json')
})

it('is off unless it was set, without a note', async () => {
  const fixture = await openFixture({ findSandbox: () => Promise.reject(new Error('not asked')) })
  const { outputs, started } = await run(fixture, null, [{ command: 'echo ran' }])
  expect(outputs).toEqual(['ran'])
  expect(started).not.toHaveProperty('sandbox')
})

it('runs commands without one if the system has none, and records why', async () => {
  const why = 'bubblewrap is not installed'
  const none = { support: { program: null, why }, wrap: null }
  const fixture = await openFixture({ findSandbox: async () => none })
  const { outputs, started } = await run(fixture, 'writes-and-network', [{ command: 'echo ran' }])
  expect(outputs).toEqual(['ran'])
  expect(started).toMatchObject({ sandbox: { setting: 'writes-and-network', program: null, why } })
})
