/** Resuming what can't be resumed, or not any more as it was: each has its answer, and changes nothing else. */

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import type { ResumeSelector } from '../../src/shared/records/resume.ts'
import { momentOf } from '../../src/shared/text/format-time.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import { allTasks, entriesOf, type Fixture, git, openFixture, start, taskOf } from '../harness.ts'
import { preparedFixture } from '../prepared-fixture.ts'
import { itInSoak } from '../soak.ts'
import { holdFor, holdsFor, untilTranscript } from './held-scenarios.ts'

/** Git on a machine that is busy with other tests. */
const timeout = 120_000

const holding = (gate: string) => `
version: 1
name: holding
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo kept > kept.txt && git add -A && git commit -qm Kept && echo more >> kept.txt" }
      - ${holdFor(gate)}
      - report: { title: Done, markdown: Done. }
`

interface Interrupted {
  fixture: Fixture
  shiplog: Shiplog
  id: TaskId
  gate: string
}

async function begin(fixture: Fixture) {
  git(fixture.project.dir, 'config', 'user.name', 'Test')
  git(fixture.project.dir, 'config', 'user.email', 'test@localhost')
  const gate = join(fixture.dir, 'go')
  const id = await start(fixture, holding(gate))
  await untilTranscript(fixture.shiplog, id, holdsFor(gate))
  return { id, gate }
}

const openHeld = preparedFixture(begin)
const openForeign = preparedFixture(begin)
const openPlanned = preparedFixture(begin, { files: { '.planning/ROADMAP.md': '# Phases\n' } })

async function interrupted(open = openHeld): Promise<Interrupted> {
  const { fixture, id, gate } = await open()
  return { fixture, shiplog: fixture.shiplog, id, gate }
}

/** What the services answer to who asks for it, and to who asks to see it first. */
async function answersTo({ client }: Shiplog, selector: ResumeSelector) {
  const told = (error: { code: string; data: unknown; message: string }) => error
  const planned = await client.tasks.planResume({ selector }).then(() => null, told)
  const resumed = await client.tasks.resume({ selector, force: true }).then(() => null, told)
  expect(resumed).toMatchObject({ code: planned?.code, message: planned?.message })
  return resumed
}

const ledgerText = (fixture: Fixture) => readFile(layoutOf(fixture.dataDir).ledger, 'utf8')

describe('resuming on bad input', { timeout }, () => {
  it('[S1][S5] distinguishes unknown, malformed, foreign and completed ids, and records nothing', async () => {
    const { fixture, shiplog, id, gate } = await interrupted()
    const foreign = await interrupted(openForeign)
    await writeFile(gate, '')
    await shiplog.client.tasks.resume({ selector: { by: 'task', taskId: id } })
    await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
    const before = await ledgerText(fixture)
    // The id of another data directory: it is found there, and unknown here.
    for (const unknown of [foreign.id, newTaskId(), 'ffffffff', '../../etc/passwd', `${id}x`]) {
      for (const by of ['task', 'tree'] as const)
        expect((await answersTo(shiplog, { by, taskId: unknown }))?.code, unknown).toBe('NOT_FOUND')
    }
    for (const short of [id.slice(0, 3), '', ' ']) {
      expect(await answersTo(shiplog, { by: 'task', taskId: short })).toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('at least 4'),
      })
    }
    const { endedAt } = await taskOf(shiplog, id)
    expect(await answersTo(shiplog, { by: 'task', taskId: id.slice(0, 8) })).toMatchObject({
      code: 'REFUSED',
      data: { reason: 'completed' },
      message: expect.stringContaining(`completed on ${momentOf(String(endedAt))}`),
    })
    for (const selector of [
      { by: 'tree', taskId: id } as const,
      { by: 'all' } as const,
      { by: 'most-recent' } as const,
      { by: 'group' } as const,
    ])
      expect(await answersTo(shiplog, selector), selector.by).toMatchObject({
        data: { reason: 'nothing-to-resume' },
      })
    expect(await ledgerText(fixture)).toBe(before)
    expect((await taskOf(foreign.shiplog, foreign.id)).status).toBe('interrupted')
  })

  it('[S1] an ambiguous prefix lists whom it may mean; a longer one, or a whole id, is enough', async () => {
    const fixture = await openFixture()
    const ids = [
      'c0ffee00-aaaa-4aaa-8aaa-aaaaaaaaaaa1',
      'c0ffee00-aaaa-4aaa-8aaa-aaaaaaaaaaa2',
    ].map((text) => text as TaskId)
    await fixture.shiplog.close()
    const ledger = await openLedger(layoutOf(fixture.dataDir).ledger, fixture.dataDir)
    for (const id of ids) await ledger.record(...interruptedEvents(fixture, id))
    await ledger.close()
    const shiplog = await fixture.restart()
    const before = await ledgerText(fixture)
    const answer = await answersTo(shiplog, { by: 'task', taskId: 'c0ffee00' })
    expect(answer).toMatchObject({ code: 'AMBIGUOUS' })
    for (const id of ids) expect(JSON.stringify(answer)).toContain(id)
    expect(await ledgerText(fixture)).toBe(before)
    for (const id of ids) {
      const { candidates } = await shiplog.client.tasks.planResume({
        selector: { by: 'task', taskId: id },
      })
      expect(candidates.map(({ taskId }) => taskId)).toEqual([id])
    }
  })

  it('[S5] an empty pointer and a history that is not JSON prevent nothing: one is rewritten, the other set aside and reported', async () => {
    const { fixture, id, gate } = await interrupted(openPlanned)
    const planning = join(fixture.project.dir, '.planning')
    const [history, pointer] = ['agent-history.json', 'current-agent-id.txt'].map((name) =>
      join(planning, name),
    ) as [string, string]
    await fixture.shiplog.close()
    await writeFile(pointer, '')
    await writeFile(history, '{"version": "1.2", "entries": [')
    const shiplog = await fixture.restart()
    const text = (file: string) => readFile(file, 'utf8').catch(() => '')
    const wholeHistory = async () =>
      JSON.parse(await text(history)).entries as { agent_id: string; status: string }[]
    await shiplog.client.tasks.resume({ selector: { by: 'most-recent' }, force: true })
    await writeFile(gate, '')
    await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
    await shiplog.close()
    expect((await wholeHistory()).map(({ agent_id, status }) => [agent_id, status])).toEqual([
      [id, 'interrupted'],
      [id, 'completed'],
    ])
    expect(await text(`${history}.damaged-1`)).toBe('{"version": "1.2", "entries": [')
    // While nobody runs it names nobody.
    expect(await text(pointer)).toBe('')

    const again = await fixture.restart()
    expect((await taskOf(again, id)).status).toBe('completed')
    expect((await readdir(planning)).filter((name) => name.includes('damaged'))).toHaveLength(1)
  })

  it('[S4][S5] a moved project is an obstacle with advice, and one that is back is none', async () => {
    const { fixture, shiplog, id, gate } = await interrupted()
    const { dir } = fixture.project
    await rename(dir, `${dir}-moved`)
    await mkdir(join(fixture.dir, 'elsewhere'))
    const selector = { by: 'task', taskId: id } as const
    const { candidates } = await shiplog.client.tasks.planResume({ selector })
    expect(candidates).toMatchObject([
      { drift: { missing: ['project'] }, obstacle: expect.stringContaining(dir) },
    ])
    const entries = await entriesOf(shiplog, id)
    for (const force of [false, true]) {
      const { accepted, refused } = await shiplog.client.tasks.resume({ selector, force })
      expect([accepted, refused.map(({ reason }) => reason)]).toEqual([[], ['obstacle']])
    }
    expect(existsSync(dir)).toBe(false)
    expect(await entriesOf(shiplog, id)).toEqual(entries)
    await rename(`${dir}-moved`, dir)
    await writeFile(gate, '')
    await shiplog.client.tasks.resume({ selector })
    const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
    expect(ended).toMatchObject([{ status: 'completed' }])
  })

  it('[S4][S5] a damaged .git file of a worktree is written again; a repository that Git can’t use is an obstacle before anything is tried', async () => {
    const { fixture, shiplog, id } = await interrupted()
    const { workspace } = await taskOf(shiplog, id)
    const selector = { by: 'task', taskId: id } as const
    const entries = await entriesOf(shiplog, id)
    const path = workspace?.path ?? ''
    const obstacle = async () =>
      (await shiplog.client.tasks.planResume({ selector })).candidates[0]?.obstacle
    const gitFile = join(path, '.git')
    const whole = await readFile(gitFile, 'utf8')
    await writeFile(gitFile, 'nothing of the kind')
    expect(await obstacle()).toBeNull()
    expect(await readFile(gitFile, 'utf8')).toBe(whole)

    const head = join(fixture.project.dir, '.git', 'HEAD')
    const before = await readFile(head)
    await writeFile(head, 'nothing of the kind')
    expect(await obstacle()).toContain('is no longer a Git repository')
    const { accepted, refused } = await shiplog.client.tasks.resume({ selector, force: true })
    expect([accepted, refused.map(({ reason }) => reason)]).toEqual([[], ['obstacle']])
    await writeFile(head, before)
    expect(await entriesOf(shiplog, id)).toEqual(entries)
    expect(await obstacle()).toBeNull()
  })

  itInSoak(
    '[S4] a data directory that was moved whole takes its worktrees along, and a shell continues below the new place',
    async () => {
      const fixture = await openFixture({ files: { 'deep/a.txt': 'a\n' } })
      const gate = join(fixture.dir, 'go')
      const id = await start(
        fixture,
        `
version: 1
name: moved
agents:
  lead:
    turns:
      - call: bash
        with: { command: "cd deep" }
      - ${holdFor(gate)}
      - call: bash
        with: { command: "pwd > where.txt; git rev-parse --show-toplevel >> where.txt" }
      - report: { title: Done, markdown: Done. }
`,
      )
      await untilTranscript(fixture.shiplog, id, holdsFor(gate))
      await fixture.shiplog.close()
      const dataDir = join(fixture.dir, 'elsewhere')
      await rename(fixture.dataDir, dataDir)
      fixture.shiplog = await openShiplog({ host: 'cli', dataDir })
      const { client } = fixture.shiplog
      await writeFile(gate, '')
      await client.tasks.resume({ selector: { by: 'task', taskId: id } })
      const { ended } = await client.tasks.resumeEnded({ taskIds: [id] })
      expect(ended).toMatchObject([{ status: 'completed' }])
      const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
      expect(path.startsWith(dataDir)).toBe(true)
      expect(await readFile(join(path, 'deep', 'where.txt'), 'utf8')).toBe(
        `${join(path, 'deep')}\n${path}\n`,
      )
      expect(git(fixture.project.dir, 'worktree', 'list')).toContain(path)
      expect((await client.doctor.check({ repair: false })).problems).toEqual([])
    },
  )

  itInSoak(
    '[S4] the demo’s project moves along with the data directory, and a repair tells Git where its worktrees are',
    async () => {
      const fixture = await openFixture()
      const { client } = fixture.shiplog
      const { taskId } = await client.projects.startDemo({})
      await untilTranscript(fixture.shiplog, taskId, (entries) =>
        entries.some((entry) => entry.type === 'tool-result'),
      )
      await fixture.shiplog.close()
      const dataDir = join(fixture.dir, 'elsewhere')
      await rename(fixture.dataDir, dataDir)
      fixture.shiplog = await openShiplog({ host: 'cli', dataDir })
      const { doctor } = fixture.shiplog.client
      const kinds = async (repair: boolean) =>
        (await doctor.check({ repair })).problems.map(({ kind, repaired }) => [kind, repaired])
      const found = await kinds(false)
      expect(new Set(found.map(([kind]) => kind))).toEqual(new Set(['worktree-moved']))
      expect(await kinds(true)).toEqual(found.map(([kind]) => [kind, true]))
      expect(await kinds(false)).toEqual([])
      const { workspace, projectDir } = await taskOf(fixture.shiplog, taskId)
      expect(projectDir.startsWith(dataDir)).toBe(true)
      expect(git(workspace?.path ?? '', 'status', '--short', '--branch')).toContain('## shiplog/')
    },
  )

  itInSoak(
    '[S4] a branch that was deleted with its worktree comes back with its commits and what was not committed',
    async () => {
      const { fixture, shiplog, id, gate } = await interrupted()
      const { workspace } = await taskOf(shiplog, id)
      const [path, branch] = [workspace?.path ?? '', workspace?.branch ?? '']
      const tip = git(path, 'rev-parse', 'HEAD').trim()
      git(fixture.project.dir, 'worktree', 'remove', '--force', path)
      git(fixture.project.dir, 'branch', '-D', branch)
      const selector = { by: 'task', taskId: id } as const
      const { candidates } = await shiplog.client.tasks.planResume({ selector })
      const missing = candidates[0]?.drift.missing
      expect(missing?.toSorted()).toEqual(['branch', 'working-directory'])
      await writeFile(gate, '')
      await shiplog.client.tasks.resume({ selector, force: true })
      const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
      expect(ended).toMatchObject([{ status: 'completed' }])
      expect(git(path, 'rev-parse', 'HEAD').trim()).toBe(tip)
      expect(git(path, 'branch', '--show-current').trim()).toBe(branch)
      expect(await readFile(join(path, 'kept.txt'), 'utf8')).toBe('kept\nmore\n')
    },
  )

  it('of two simultaneous resumes of one agent, named in different ways, one succeeds and the other is refused', async () => {
    const { shiplog, id, gate } = await interrupted()
    const selectors: ResumeSelector[] = [
      { by: 'task', taskId: id },
      { by: 'task', taskId: id.slice(0, 6) },
      { by: 'tree', taskId: id },
      { by: 'most-recent' },
      { by: 'all' },
    ]
    const all = await Promise.allSettled(
      selectors.map((selector) => shiplog.client.tasks.resume({ selector })),
    )
    const winners = all.filter((one) => one.status === 'fulfilled' && one.value.accepted.length > 0)
    expect(winners).toHaveLength(1)
    for (const one of all) {
      if (winners.includes(one)) continue
      const said = one.status === 'rejected' ? one.reason.message : one.value.refused[0]?.message
      expect(said).toMatch(/being resumed|is running|nothing to resume/)
    }
    await writeFile(gate, '')
    await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
    expect((await allTasks(shiplog)).map(({ runs }) => runs.length)).toEqual([2])
    expect((await entriesOf(shiplog, id)).filter(({ type }) => type === 'resume')).toHaveLength(1)
  })
})

/** As an earlier process left one that it had begun. */
const interruptedEvents = ({ project }: Fixture, taskId: TaskId): LedgerEvent[] => [
  {
    type: 'task.created',
    taskId,
    parentId: null,
    rootId: taskId,
    projectId: project.id,
    title: 'A task',
    agent: 'lead',
    spec: scriptedSpec(),
    prompt: '',
    model: null,
    isolation: 'in-place',
    callId: null,
    resumedFrom: null,
    dependsOn: [],
    options: { agentsAtOnce: 3, keep: false },
    plan: {},
  },
  {
    type: 'task.spawned',
    taskId,
    run: 1,
    process: { pid: 2 ** 22, startedAt: 'long ago' },
    spawnCommit: null,
  },
]
