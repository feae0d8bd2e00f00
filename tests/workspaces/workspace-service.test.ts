import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { causeText } from '../fixtures/cause-text.ts'
import {
  allTasks,
  beforeLeaving,
  entriesOf,
  type Fixture,
  git,
  gitProject,
  openFixture,
  start,
  taskOf,
  temporaryDir,
  until,
  untilQuiet,
  writeFiles,
} from '../harness.ts'
import { preparedFixture } from '../prepared-fixture.ts'
import { itInSoak } from '../soak.ts'

const edits = `
version: 1
name: edits
agents:
  lead:
    turns:
      - call: write_file
        with: { path: shared.txt, content: "from the agent\\n" }
      - call: bash
        with: { command: "git add -A && git commit -qm 'Committed part'" }
      - call: write_file
        with: { path: loose.txt, content: "not committed\\n" }
      - report: { title: Edited, markdown: Two files. }
`

async function finished(fixture: Fixture, scenario = edits): Promise<string> {
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  return id
}

const openFinished = preparedFixture(async (fixture) => ({ id: await finished(fixture) }))

describe('projects', () => {
  async function opened() {
    const dir = await temporaryDir()
    const shiplog = await openShiplog({ dataDir: join(dir, 'data'), host: 'cli' })
    return { dir, shiplog, [Symbol.asyncDispose]: () => shiplog.close() }
  }

  it('refuses a folder that is not a project, with advice', async () => {
    await using fixture = await opened()
    const { dir, shiplog } = fixture
    await writeFile(join(dir, 'file'), '')
    await mkdir(join(dir, 'unborn'))
    git(join(dir, 'unborn'), 'init', '-q')
    git(dir, 'init', '-q', '--bare', 'bare')
    const refusal = async (name: string) => {
      const error = await shiplog.client.projects.add({ dir: join(dir, name) }).then(
        () => null,
        (thrown) => thrown,
      )
      return [error?.code, error?.message]
    }
    await expect(shiplog.client.projects.add({ dir: 'some/where' })).rejects.toMatchObject({
      message: expect.stringContaining('not an absolute path'),
    })
    expect(await refusal('nowhere')).toEqual(['INVALID', expect.stringContaining('does not exist')])
    expect(await refusal('file')).toEqual(['INVALID', expect.stringContaining('not a folder')])
    expect(await refusal('unborn')).toEqual([
      'INVALID',
      expect.stringContaining('commit --allow-empty'),
    ])
    expect(await refusal('bare')).toEqual(['INVALID', expect.stringContaining('Clone it')])
    expect((await shiplog.client.projects.list()).projects).toEqual([])
  })

  it('accepts a folder without Git, where agents work in place', async () => {
    await using fixture = await opened()
    const { dir, shiplog } = fixture
    await writeFiles(join(dir, 'plain ünïcode'), { 'a.txt': 'a' })
    const project = await shiplog.client.projects.add({ dir: join(dir, 'plain ünïcode') })
    expect(project.git).toBe(false)
    expect((await shiplog.client.projects.add({ dir: project.dir })).id).toBe(project.id)
    const scenario =
      'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - call: write_file\n        with: { path: b.txt, content: b }\n'
    const { taskId } = await shiplog.client.tasks.start({
      projectId: project.id,
      agent: { kind: 'scripted', scenario, source: 's' },
      prompt: 'Go',
    })
    await untilQuiet(shiplog)
    expect(await readFile(join(project.dir, 'b.txt'), 'utf8')).toBe('b')
    expect((await taskOf(shiplog, taskId)).workspace).toMatchObject({
      isolation: 'in-place',
      path: project.dir,
    })
  })

  it('leaves nothing incomplete if a scenario is malformed', async () => {
    const fixture = await openFixture()
    await expect(
      start(fixture, 'version: 1\nagents: { lead: { turns: [{ dance: now }] } }'),
    ).rejects.toMatchObject({ code: 'INVALID', message: expect.stringContaining('test.yaml:2') })
    expect(await allTasks(fixture.shiplog)).toEqual([])
    expect(existsSync(join(fixture.dataDir, 'sessions'))).toBe(false)
    expect(git(fixture.project.dir, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
  })
})

describe('set-up of new worktrees', () => {
  const config = 'setup: echo made > made.txt\ncopy: [.env, config]\n'
  const files = {
    'README.md': 'x\n',
    '.gitignore': '.env\nconfig/\nmade.txt\n',
    '.shiplog/project.yaml': config,
  }

  it('asks once about a repository’s set-up command, and again after a change', async () => {
    const fixture = await openFixture({ files })
    const { client } = fixture.shiplog
    const { id, dir } = fixture.project
    await expect(start(fixture, edits)).rejects.toMatchObject({
      code: 'REFUSED',
      data: { reason: 'setup-not-trusted' },
    })
    expect(await allTasks(fixture.shiplog)).toEqual([])
    const setup = await client.projects.setup({ projectId: id })
    expect(setup).toMatchObject({ setup: 'echo made > made.txt', trusted: false })
    await client.projects.trustSetup({ projectId: id, configSha256: setup.configSha256 ?? '' })
    await writeFiles(dir, { '.env': 'SECRET=1\n', 'config/a.json': '{}' })
    const task = await taskOf(fixture.shiplog, await finished(fixture))
    expect(readdirSync(task.workspace?.path ?? '')).toEqual(
      expect.arrayContaining(['.env', 'config', 'made.txt']),
    )
    await writeFile(join(dir, '.shiplog/project.yaml'), `${config}# changed\n`)
    await expect(start(fixture, edits)).rejects.toMatchObject({
      data: { reason: 'setup-not-trusted' },
    })
    await expect(
      client.projects.trustSetup({ projectId: id, configSha256: setup.configSha256 ?? '' }),
    ).rejects.toMatchObject({ data: { reason: 'setup-changed' } })
  })

  it('[A3] copies no file through a link out of the project', async () => {
    const fixture = await openFixture({
      files: { ...files, '.shiplog/project.yaml': 'copy: [link]\n' },
    })
    await writeFile(join(fixture.dir, 'secret'), 's')
    await symlink(join(fixture.dir, 'secret'), join(fixture.project.dir, 'link'))
    await start(fixture, edits)
    await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'interrupted'))
    expect(causeText((await allTasks(fixture.shiplog))[0]?.cause)).toContain(
      'leads out of the project',
    )
  })

  it('interrupts the run, with the output, if the command fails', async () => {
    const fixture = await openFixture({
      files: { ...files, '.shiplog/project.yaml': 'setup: echo broken tool >&2; exit 3\n' },
    })
    const { client } = fixture.shiplog
    const { configSha256 } = await client.projects.setup({ projectId: fixture.project.id })
    await client.projects.trustSetup({
      projectId: fixture.project.id,
      configSha256: configSha256 ?? '',
    })
    await start(fixture, edits)
    await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'interrupted'))
    expect(causeText((await allTasks(fixture.shiplog))[0]?.cause)).toMatch(
      /exit code 3.*\n?.*broken tool/s,
    )
  })
})

describe('changes of a root', () => {
  it('compares them with the project, including uncommitted ones, and applies them there', async () => {
    const { fixture, id } = await openFinished()
    const { client } = fixture.shiplog
    const diff = await client.workspace.diff({ workspaceId: id })
    expect(diff.files.map((file) => [file.path, file.change])).toEqual([
      ['loose.txt', 'added'],
      ['shared.txt', 'added'],
    ])
    expect(diff.target).toEqual({ path: fixture.project.dir, branch: 'main' })
    expect(await client.tasks.applyPatch({ taskId: id })).toEqual({
      kind: 'applied',
      files: ['loose.txt', 'shared.txt'].map((path) => ({ path, change: 'added', oldPath: null })),
    })
    expect(await readFile(join(fixture.project.dir, 'shared.txt'), 'utf8')).toBe('from the agent\n')
    expect((await taskOf(fixture.shiplog, id)).patch).toBe('applied')
    expect((await client.tasks.applyPatch({ taskId: id })).kind).toBe('already-applied')
  })

  it('answers with a conflict and changes nothing', async () => {
    const { fixture, id } = await openFinished()
    await writeFile(join(fixture.project.dir, 'shared.txt'), 'from the user\n')
    const outcome = await fixture.shiplog.client.tasks.applyPatch({ taskId: id })
    expect(outcome).toMatchObject({ kind: 'conflict', paths: ['shared.txt'] })
    expect(readdirSync(fixture.project.dir).sort()).toEqual(['.git', 'README.md', 'shared.txt'])
    expect(await readFile(join(fixture.project.dir, 'shared.txt'), 'utf8')).toBe('from the user\n')
  })
})

describe('removal', () => {
  it('[R6] archives a root with everything below it, and keeps its record and changes', async () => {
    const { fixture, id } = await openFinished()
    const { workspace } = await taskOf(fixture.shiplog, id)
    const before = await entriesOf(fixture.shiplog, id as never)
    expect(
      (await fixture.shiplog.client.workspace.remove({ workspaceId: id.slice(0, 8) })).removed,
    ).toEqual([id])
    expect(existsSync(workspace?.path ?? '')).toBe(false)
    expect(readdirSync(join(fixture.dataDir, 'archive'))).toEqual([id])
    expect(readdirSync(join(fixture.dataDir, 'sessions'))).toEqual([])
    const shiplog = await fixture.restart()
    expect(beforeLeaving(await entriesOf(shiplog, id as never))).toEqual(before)
    expect((await shiplog.client.tasks.report({ taskId: id })).reportMarkdown).toBe('Two files.')
    expect((await shiplog.client.tasks.list({ all: false })).tasks).toEqual([])
    expect((await shiplog.client.workspace.list({ archived: true })).workspaces).toMatchObject([
      { id, archived: true, kind: 'root' },
    ])
    const outcome = await shiplog.client.tasks.applyPatch({ taskId: id })
    expect(outcome.kind).toBe('applied')
  })

  it('[R1] stops a running agent first, and keeps its partial turn', async () => {
    const fixture = await openFixture()
    const id = await start(
      fixture,
      'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - steps:\n          - call: write_file\n            with: { path: half.txt, content: half }\n          - wait: 1h\n',
    )
    await until(fixture.shiplog, async () =>
      (await entriesOf(fixture.shiplog, id)).some((entry) => entry.type === 'tool-result'),
    )
    await fixture.shiplog.client.workspace.remove({ workspaceId: id })
    const task = await taskOf(fixture.shiplog, id)
    expect([task.status, task.cause?.kind, task.archived]).toEqual([
      'interrupted',
      'workspace-removed',
      true,
    ])
    expect(beforeLeaving(await entriesOf(fixture.shiplog, id)).at(-1)).toMatchObject({
      type: 'run-end',
      status: 'interrupted',
    })
    expect(
      (await fixture.shiplog.client.workspace.diff({ workspaceId: id })).files.map(
        (file) => file.path,
      ),
    ).toEqual(['half.txt'])
  })

  it('[R1] removes a workspace whose worktree somebody deleted by hand, and saves its last recorded state', async () => {
    const { fixture, id } = await openFinished()
    const { workspace } = await taskOf(fixture.shiplog, id)
    await rm(workspace?.path ?? '', { recursive: true })
    await fixture.shiplog.client.workspace.remove({ workspaceId: id })
    expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: true, patch: 'ready' })
  })

  it('[R1] is continued by the next start', async () => {
    const { fixture, id } = await openFinished()
    await fixture.shiplog.close()
    const { openJournal } = await import('../../src/main/journal/index.ts')
    const ledger = await openJournal(join(fixture.dataDir, 'ledger.jsonl'))
    for (const step of ['started', 'runs-stopped']) {
      await ledger.append({
        v: 1,
        type: 'workspace.removal-advanced',
        workspaceId: id,
        step,
        pending: null,
      })
    }
    await ledger.close()
    const shiplog = await fixture.restart()
    expect((await taskOf(shiplog, id)).archived).toBe(true)
    expect(readdirSync(join(fixture.dataDir, 'archive'))).toEqual([id])
  })
})

itInSoak('works in a project whose path has spaces and letters of other scripts', async () => {
  const dir = await temporaryDir()
  const projectDir = await gitProject(join(dir, 'Mein Projekt – 日本'))
  const shiplog = await openShiplog({ dataDir: join(dir, 'dátà dir'), host: 'cli' })
  try {
    const project = await shiplog.client.projects.add({ dir: projectDir })
    const { taskId } = await shiplog.client.tasks.start({
      projectId: project.id,
      agent: { kind: 'scripted', scenario: edits, source: 's' },
      prompt: 'Füge hinzu: 日本',
    })
    await untilQuiet(shiplog)
    expect((await shiplog.client.tasks.applyPatch({ taskId })).kind).toBe('applied')
  } finally {
    await shiplog.close()
  }
})

it('[R3] keeps in the trash a repository that an agent cloned into its worktree', async () => {
  const fixture = await openFixture()
  const id = await finished(
    fixture,
    `
version: 1
name: cloner
agents:
  lead:
    turns:
      - call: bash
        with: { command: "git init -q vendor/lib && echo mine > vendor/lib/work.txt" }
`,
  )
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  const kept = join(fixture.dataDir, 'trash', `worktree-${id}`, 'vendor/lib/work.txt')
  expect(await readFile(kept, 'utf8')).toBe('mine\n')
})
