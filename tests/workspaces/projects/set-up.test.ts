import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSandbox, type Sandbox } from '../../../src/main/processes/sandbox/index.ts'
import { causeText } from '../../fixtures/cause-text.ts'
import {
  allTasks,
  type Fixture,
  openFixture,
  start,
  taskOf,
  until,
  writeFiles,
} from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

const talk = 'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - say: Hello.\n'

async function fixtureWithSetup(
  setup: string,
  options: Parameters<typeof openFixture>[0] = {},
): Promise<Fixture> {
  const config = `setup: ${JSON.stringify(setup)}\n`
  const fixture = await openFixture({ ...options, files: { '.shiplog/project.yaml': config } })
  const { client } = fixture.shiplog
  const projectId = fixture.project.id
  const { configSha256 } = await client.projects.setup({ projectId })
  await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
  return fixture
}

it.each([
  ['in its own process group', 'sleep 60 & echo ready'],
  ['in a group of its own', 'setsid sleep 60 & echo ready'],
])('does not wait for what a set-up command leaves running %s', async (_, setup) => {
  const fixture = await fixtureWithSetup(setup)
  await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
})

it('runs in the sandbox of its project, with the network and write access to nothing else', async () => {
  const { support } = await findSandbox()
  const fixture = await fixtureWithSetup(
    'echo inside > inside.txt; (echo x > ../outside.txt) 2>/dev/null; ls -1 .. > seen.txt',
  )
  const projectId = fixture.project.id
  await fixture.shiplog.client.projects.setSandbox({ projectId, sandbox: 'writes-and-network' })
  const root = await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
  const { workspace } = await taskOf(fixture.shiplog, root)
  const made = (name: string) => readFile(join(workspace?.path ?? '', name), 'utf8')
  expect(await made('inside.txt')).toBe('inside\n')
  expect((await made('seen.txt')).includes('outside.txt')).toBe(support.program === null)
})

itInSoak('says that the sandbox may be why a set-up command failed', async () => {
  const wrap: Sandbox['wrap'] = (_, [program = '', ...args]) => [program, ...args]
  const sandbox: Sandbox = { support: { program: 'bubblewrap', why: null }, wrap }
  const fixture = await fixtureWithSetup('false', { findSandbox: async () => sandbox })
  const projectId = fixture.project.id
  await fixture.shiplog.client.projects.setSandbox({ projectId, sandbox: 'writes' })
  await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'interrupted'))
  expect(causeText((await allTasks(fixture.shiplog))[0]?.cause)).toContain('It ran in the sandbox')
})

it('can be stopped while it runs', async () => {
  const fixture = await fixtureWithSetup('setsid sleep 60 & sleep 60')
  const root = await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'spawned'))
  const stopped = await fixture.shiplog.client.tasks.stop({ taskId: root })
  expect(stopped.stopped).toEqual([root])
  expect(causeText((await taskOf(fixture.shiplog, root)).cause)).toBe('stopped by you')
})

itInSoak('is retried with the follow-up after a failure', async () => {
  const fixture = await fixtureWithSetup('test -e ../../../allowed && echo made > made.txt')
  const root = await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'interrupted'))
  expect(causeText((await allTasks(fixture.shiplog))[0]?.cause)).toContain('exit code 1')
  await writeFile(join(fixture.dataDir, 'allowed'), '')
  await fixture.shiplog.client.tasks.prompt({ taskId: root, prompt: 'Again' })
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'completed'))
  const { workspace } = await taskOf(fixture.shiplog, root)
  expect(await readFile(join(workspace?.path ?? '', 'made.txt'), 'utf8')).toBe('made\n')
})

it.each([
  ['a set-up that a terminal would show as another', 'setup: "true npm ci \\e]0;./x;\\a"\n'],
  ['a set-up with its direction turned', 'setup: "npm ci # \\u202e"\n'],
  ['a set-up with a zero-width space', 'setup: "np\\u200bm ci"\n'],
  ['a carriage return', 'setup: "./x\\rnpm ci"\n'],
  ['a copied name with a hidden character', 'copy: ["a\\u200b.env"]\n'],
])('[K6] refuses %s, and can’t be told to trust it', async (_, config) => {
  const fixture = await openFixture()
  await writeFiles(fixture.project.dir, { '.shiplog/project.yaml': config })
  const { client } = fixture.shiplog
  const projectId = fixture.project.id
  await expect(client.projects.setup({ projectId })).rejects.toThrow('an invisible character (U+')
  await expect(client.projects.trustSetup({ projectId, configSha256: '' })).rejects.toThrow(
    'an invisible character',
  )
  await expect(start(fixture, talk)).rejects.toThrow('an invisible character')
  expect(await allTasks(fixture.shiplog)).toEqual([])
})

describe('[K8] in a sub-agent’s worktree', () => {
  const scenario = (change: object) =>
    JSON.stringify({
      version: 1,
      name: 'n',
      agents: {
        lead: {
          turns: [
            change,
            { call: 'task', with: { agent: 'helper', title: 'Help', prompt: 'p' } },
            { report: { title: 'Done', markdown: 'x' } },
          ],
        },
        helper: {
          turns: [
            { call: 'bash', with: { command: 'cat made.txt || true' } },
            { report: { title: 'Done', markdown: 'x' } },
          ],
        },
      },
    })
  const write = (path: string, content: string) => ({ call: 'write_file', with: { path, content } })

  async function helperEntries(change: object, setup = 'sh scripts/setup.sh') {
    const files = {
      '.shiplog/project.yaml': `setup: ${setup}\n`,
      'scripts/setup.sh': '. ./scripts/lib.sh\n',
      'scripts/lib.sh': 'echo allowed > made.txt\n',
      'package.json': '{}\n',
      '.gitignore': 'made.txt\n',
    }
    const fixture = await openFixture({ files })
    const { client } = fixture.shiplog
    const projectId = fixture.project.id
    const { configSha256 } = await client.projects.setup({ projectId })
    await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
    await start(fixture, scenario(change))
    await until(
      fixture.shiplog,
      (tasks) => tasks.length === 2 && tasks.every((task) => task.status === 'completed'),
    )
    const { id } = await taskOf(fixture.shiplog, 'Help')
    return (await client.workspace.getSubagentTranscript({ taskId: id, limit: 100 })).entries
  }
  const setUpIn = (entries: Awaited<ReturnType<typeof helperEntries>>) =>
    entries.flatMap((entry) => (entry.type === 'set-up' ? [entry.changed] : []))
  const outputIn = (entries: Awaited<ReturnType<typeof helperEntries>>) =>
    entries.find((entry) => entry.type === 'tool-result')?.output

  it('runs if agents changed nothing that it runs, and is recorded', async () => {
    const entries = await helperEntries(write('src/a.ts', 'x'))
    expect(setUpIn(entries)).toEqual([[]])
    expect(outputIn(entries)).toBe('allowed')
  })

  it.each([
    ['a script that it names', write('scripts/setup.sh', 'echo evil > made.txt'), undefined],
    [
      'a script that such a script names',
      write('scripts/lib.sh', 'echo evil > made.txt'),
      undefined,
    ],
    [
      'what its package manager reads',
      write('package.json', '{"a":1}'),
      'npm --version > made.txt',
    ],
  ])('is not run after an agent changed %s, and the record says so', async (_, change, setup) => {
    const entries = await helperEntries(change, setup)
    expect(setUpIn(entries)).toEqual([[change.with.path]])
    expect(outputIn(entries)).toContain('No such file')
  })
})
