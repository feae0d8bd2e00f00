/** A project that contains the data directory: no tool, state or apply reaches the record. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Entry } from '../../src/shared/records/entries.ts'
import {
  entriesOf,
  type Fixture,
  fixtureIn,
  git,
  gitProject,
  inTurnStore,
  start,
  taskOf,
  temporaryDir,
  untilQuiet,
} from '../harness.ts'

/** The data directory is `data` in the project. */
async function openInside(files?: Record<string, string>): Promise<Fixture> {
  const dir = await gitProject(join(await temporaryDir(), 'project'), files)
  const fixture = await fixtureIn(dir, {}, dir)
  onTestFinished(() => fixture.shiplog.close())
  return fixture
}

const scenarioOf = (...calls: { call: string; with: object }[]): string =>
  JSON.stringify({
    version: 1,
    name: 'inside',
    agents: { lead: { turns: [...calls, { say: 'x' }] } },
  })

const resultsOf = (entries: Entry[]): string[] =>
  entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.output] : []))

it('[R3] keeps the file tools of an agent in the project’s folder out of the data directory', async () => {
  const fixture = await openInside()
  const lead = await start(
    fixture,
    scenarioOf(
      { call: 'write_file', with: { path: 'data/ledger.jsonl', content: 'forged' } },
      { call: 'write_file', with: { path: 'data/permissions.json', content: '{}' } },
      { call: 'read_file', with: { path: 'data/lease.json' } },
      { call: 'list_files', with: { path: 'data' } },
      { call: 'list_files', with: {} },
      { call: 'search_files', with: { pattern: 'pid' } },
      { call: 'write_file', with: { path: 'own.txt', content: 'own' } },
    ),
    { isolation: 'in-place' },
  )
  await untilQuiet(fixture.shiplog)
  const [ledger, permissions, lease, listed, all, found, own] = resultsOf(
    await entriesOf(fixture.shiplog, lead),
  )
  for (const output of [ledger, permissions, lease, listed])
    expect(output).toContain('where Shiplog keeps its record')
  expect([all, found, own]).toEqual(['README.md', '[no matches]', 'Created own.txt (+1 -0 lines).'])
  expect((await taskOf(await fixture.restart(), lead)).status).toBe('completed')
})

it('stores no part of the data directory with the turns, also where it was committed', async () => {
  const fixture = await openInside({ 'README.md': '# A project\n', 'data/settings.json': '{}\n' })
  await writeFile(join(fixture.dataDir, 'settings.json'), '{ }\n')
  const lead = await start(
    fixture,
    scenarioOf(
      { call: 'bash', with: { command: 'echo changed > README.md' } },
      { call: 'write_file', with: { path: 'own.txt', content: 'own' } },
    ),
    { isolation: 'in-place' },
  )
  await untilQuiet(fixture.shiplog)
  const { shiplog } = fixture
  const trees = (await entriesOf(shiplog, lead)).flatMap((entry) =>
    'tree' in entry && entry.tree ? [entry.tree] : [],
  )
  expect(trees.length).toBeGreaterThan(2)
  const committed = git(fixture.project.dir, 'rev-parse', 'HEAD:data/settings.json').trim()
  for (const tree of trees) {
    const below = inTurnStore(fixture, 'ls-tree', '-r', '--format=%(path)', tree).split('\n')
    expect(below.filter((path) => path.startsWith('data/'))).toEqual(['data/settings.json'])
    expect(inTurnStore(fixture, 'ls-tree', '-r', tree, 'data')).toContain(committed)
  }
  const { files } = await shiplog.client.workspace.diff({ workspaceId: lead })
  expect(files.map(({ path }) => path)).toEqual(['README.md', 'own.txt'])
})

it('[R3] applies nothing into the data directory', async () => {
  const fixture = await openInside()
  const before = await readFile(join(fixture.dataDir, 'ledger.jsonl'), 'utf8')
  const lead = await start(
    fixture,
    scenarioOf(
      { call: 'write_file', with: { path: 'data/settings.json', content: '{}' } },
      { call: 'write_file', with: { path: 'own.txt', content: 'own' } },
    ),
  )
  await untilQuiet(fixture.shiplog)
  const outcome = await fixture.shiplog.client.tasks.applyPatch({ taskId: lead })
  expect(outcome).toMatchObject({
    kind: 'conflict',
    paths: ['data/settings.json'],
    message: expect.stringContaining('in the data directory of Shiplog'),
  })
  expect(git(fixture.project.dir, 'status', '--porcelain')).not.toContain('own.txt')
  expect(await readFile(join(fixture.dataDir, 'ledger.jsonl'), 'utf8')).toContain(before)
})

it('offers no file of the data directory for a prompt in a folder without Git', async () => {
  const dir = await temporaryDir()
  await mkdir(join(dir, 'src'))
  await writeFile(join(dir, 'src/a.ts'), '')
  const fixture = await fixtureIn(dir, {}, dir)
  onTestFinished(() => fixture.shiplog.close())
  const { files } = await fixture.shiplog.client.workspace.findFiles({
    projectId: fixture.project.id,
    query: '',
  })
  expect(files).toEqual(['src/a.ts'])
})
