import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { Shiplog } from '../../src/main/shiplog.ts'
import type { Entry } from '../../src/shared/entries.ts'
import { momentOf } from '../../src/shared/format-time.ts'
import type { TaskId } from '../../src/shared/ids.ts'
import type { ResumeSelector } from '../../src/shared/resume.ts'
import {
  allTasks,
  entriesOf,
  type Fixture,
  git,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../harness.ts'
import { hold, untilAllHold } from '../holding.ts'

/** Notes a word outside of the worktrees, so that a call that ran twice shows. */
const note = (log: string, word: string) => `{ command: "echo ${word} >> '${log}'" }`
const agent = (name: string, turns: string[]) => `
  ${name}:
    turns:
${turns.map((turn) => `      ${turn}`).join('\n')}`

/** Three sub-agents in two depths, each of which notes a word, holds, and notes another. */
function threeDeep(dir: string): string {
  const log = join(dir, 'log')
  const worker = (name: string, children: string[] = []) =>
    agent(name, [
      `- { call: bash, with: ${note(log, `${name}-before`)} }`,
      ...children.map(
        (child) =>
          `- { call: task, with: { agent: ${child}, title: ${child}, prompt: Go, background: true } }`,
      ),
      `- { call: bash, with: ${hold(dir)} }`,
      `- { call: bash, with: ${note(log, `${name}-after`)} }`,
      ...(children.length > 0 ? ['- { call: task_await, with: { tasks: all } }'] : []),
      `- report: { title: ${name} done, markdown: Done. }`,
    ])
  return `
version: 1
name: three-deep
agents:${worker('lead', ['left', 'right'])}${worker('left', ['inner'])}${worker('right')}${worker('inner')}
`
}

async function resume(
  shiplog: Shiplog,
  selector: ResumeSelector,
  over: {
    force?: boolean
    choices?: Record<TaskId, 'resume' | 'restart' | 'abandon' | 'leave'>
  } = {},
) {
  const outcome = await shiplog.client.tasks.resume({ selector, ...over })
  const taskIds = outcome.accepted.map(({ taskId }) => taskId)
  const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds })
  return { ...outcome, ended }
}

const wordsIn = async (dir: string) => (await readFile(join(dir, 'log'), 'utf8')).trim().split('\n')

/** Six in three depths, and whole processes killed: `tests/crash/resume-kills.test.ts`. */
async function interruptedTree(): Promise<{ fixture: Fixture; root: TaskId; shiplog: Shiplog }> {
  const fixture = await openFixture({ agentsAtOnce: 16 })
  const root = await start(fixture, threeDeep(fixture.dir))
  await untilAllHold(fixture.shiplog, 4)
  const shiplog = await fixture.restart()
  await writeFile(join(fixture.dir, 'go'), '')
  return { fixture, root, shiplog }
}

/** Four agents with a worktree each, twice: a minute on a machine that is busy with other tests. */
const treeTimeoutMs = 120_000

describe('resuming a tree', { timeout: treeTimeoutMs }, () => {
  it('[S1][S3][S7] takes up every interrupted agent once, and runs no call twice', async () => {
    const { fixture, root, shiplog } = await interruptedTree()
    const before = await allTasks(shiplog)
    expect(before.map(({ status }) => status)).toEqual(Array(4).fill('interrupted'))
    const entriesBefore = new Map<string, Entry[]>()
    for (const { id } of before) entriesBefore.set(id, await entriesOf(shiplog, id))

    const { ended, refused } = await resume(shiplog, { by: 'tree', taskId: root })
    await untilQuiet(shiplog)
    expect(refused).toEqual([])
    expect(ended.map(({ status }) => status)).toEqual(Array(4).fill('completed'))
    const names = ['lead', 'left', 'right', 'inner']
    const words = names.flatMap((name) => [`${name}-before`, `${name}-after`])
    expect((await wordsIn(fixture.dir)).sort()).toEqual(words.sort())
    for (const [id, entries] of entriesBefore) {
      const now = await entriesOf(shiplog, id as TaskId)
      expect(now.slice(0, entries.length)).toEqual(entries)
      expect(now.filter(({ type }) => type === 'resume')).toHaveLength(1)
    }
    expect((await allTasks(shiplog)).map(({ runs }) => runs.length)).toEqual(Array(4).fill(2))
  })

  it('[S1] does with each what was chosen for it', async () => {
    const { root, shiplog } = await interruptedTree()
    const idOf = async (title: string) => (await taskOf(shiplog, title)).id
    const choices = {
      [await idOf('right')]: 'abandon' as const,
      [await idOf('inner')]: 'restart' as const,
    }
    const outcome = await resume(shiplog, { by: 'tree', taskId: root }, { choices })
    await untilQuiet(shiplog)
    expect(outcome.accepted).toHaveLength(2)
    expect(outcome.abandoned).toEqual([await idOf('right')])
    const tasks = await allTasks(shiplog)
    expect(tasks.find(({ title }) => title === 'right')?.status).toBe('abandoned')
    const inner = tasks.filter(({ title }) => title === 'inner')
    expect(inner.map(({ status }) => status)).toEqual(['abandoned', 'completed'])
  })

  it('[T5] runs no more of them at once than was asked for, one that awaits not counted', async () => {
    const { root, shiplog } = await interruptedTree()
    let most = 0
    const abort = new AbortController()
    const watched = (async () => {
      const feed = await shiplog.client.feed.ledger(undefined, { signal: abort.signal })
      for await (const _ of feed) {
        const tasks = await allTasks(shiplog)
        const leaves = tasks.filter(({ title }) => ['right', 'inner'].includes(title))
        most = Math.max(most, leaves.filter(({ status }) => status === 'resumed').length)
      }
    })().catch(() => undefined)
    const { accepted } = await shiplog.client.tasks.resume({
      selector: { by: 'tree', taskId: root },
      agentsAtOnce: 1,
    })
    await shiplog.client.tasks.resumeEnded({ taskIds: accepted.map(({ taskId }) => taskId) })
    abort.abort()
    await watched
    expect(most).toBe(1)
    expect((await allTasks(shiplog)).every(({ status }) => status === 'completed')).toBe(true)
  })
})

const alone = (dir: string) => `
version: 1
name: alone
agents:${agent('lead', [
  `- { call: bash, with: ${note(join(dir, 'log'), 'one')} }`,
  '- { call: write_file, with: { path: mine.txt, content: "mine" } }',
  `- { call: bash, with: ${hold(dir)} }`,
  `- { call: bash, with: ${note(join(dir, 'log'), 'two')} }`,
  '- report: { title: Done, markdown: "Done in {{cwd}}" }',
  `- { call: bash, with: ${note(join(dir, 'log'), 'three')} }`,
  '- report: { title: Done again, markdown: Again. }',
  `- { call: bash, with: ${note(join(dir, 'log'), 'four')} }`,
  '- report: { title: Done once more, markdown: Once more. }',
])}
`

async function interruptedAlone(): Promise<{ fixture: Fixture; root: TaskId; shiplog: Shiplog }> {
  const fixture = await openFixture()
  const root = await start(fixture, alone(fixture.dir))
  await untilAllHold(fixture.shiplog, 1)
  return { fixture, root, shiplog: await fixture.restart() }
}

describe('resuming one', () => {
  it('[S1] takes the most recent one, a unique prefix, and says what else a text may mean', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await writeFile(join(fixture.dir, 'go'), '')
    const plan = (selector: ResumeSelector) => shiplog.client.tasks.planResume({ selector })
    expect((await plan({ by: 'most-recent' })).candidates[0]?.taskId).toBe(root)
    expect((await plan({ by: 'task', taskId: root.slice(0, 6) })).candidates[0]?.taskId).toBe(root)
    await expect(plan({ by: 'task', taskId: '00000000' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect((await taskOf(shiplog, root)).status).toBe('interrupted')
    const { ended } = await resume(shiplog, { by: 'most-recent' })
    expect(ended[0]).toMatchObject({ taskId: root, run: 2, status: 'completed' })
    await expect(plan({ by: 'most-recent' })).rejects.toMatchObject({
      data: { reason: 'nothing-to-resume' },
    })
  })

  it('[T4] refuses one that completed, and names the time', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await writeFile(join(fixture.dir, 'go'), '')
    await resume(shiplog, { by: 'task', taskId: root })
    const { endedAt } = await taskOf(shiplog, root)
    const again = resume(shiplog, { by: 'task', taskId: root })
    await expect(again).rejects.toMatchObject({
      code: 'REFUSED',
      data: { reason: 'completed' },
      message: expect.stringContaining(` completed on ${momentOf(String(endedAt))}: `),
    })
  })

  it('lets one of two resumes at once win, and tells the other', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    const selector = { by: 'task', taskId: root } as const
    const both = await Promise.allSettled([
      shiplog.client.tasks.resume({ selector }),
      shiplog.client.tasks.resume({ selector }),
    ])
    await writeFile(join(fixture.dir, 'go'), '')
    const outcomes = both.map((one) =>
      one.status === 'fulfilled' && one.value.accepted.length === 1 ? 'accepted' : 'told',
    )
    expect(outcomes.sort()).toEqual(['accepted', 'told'])
    await shiplog.client.tasks.resumeEnded({ taskIds: [root] })
    expect((await taskOf(shiplog, root)).runs).toHaveLength(2)
  })

  it('[S2][S5][S7] begins nothing with conflicts, and goes on when told to, with what differed in the record', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await writeFile(join(fixture.dir, 'go'), '')
    const { workspace } = await taskOf(shiplog, root)
    await writeFile(join(workspace?.path ?? '', 'mine.txt'), 'not yours')
    const before = await entriesOf(shiplog, root)
    const refused = await resume(shiplog, { by: 'task', taskId: root })
    expect(refused.accepted).toEqual([])
    expect(refused.refused[0]).toMatchObject({
      reason: 'conflicts',
      drift: { conflicts: [{ path: 'mine.txt' }] },
    })
    expect(await entriesOf(shiplog, root)).toEqual(before)
    expect((await taskOf(shiplog, root)).status).toBe('interrupted')

    const { ended } = await resume(shiplog, { by: 'task', taskId: root }, { force: true })
    expect(ended[0]?.status).toBe('completed')
    const entry = (await entriesOf(shiplog, root)).find(({ type }) => type === 'resume')
    expect(JSON.stringify(entry)).toContain('mine.txt')
  })

  it('[S4][S5] leaves it as it was when its project is gone, and makes a missing worktree again', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await writeFile(join(fixture.dir, 'go'), '')
    const moved = `${fixture.project.dir}-moved`
    await rename(fixture.project.dir, moved)
    const { refused } = await resume(shiplog, { by: 'task', taskId: root }, { force: true })
    expect(refused[0]).toMatchObject({ reason: 'obstacle' })
    expect((await taskOf(shiplog, root)).status).toBe('interrupted')
    await rename(moved, fixture.project.dir)

    const { path = '', branch } = (await taskOf(shiplog, root)).workspace ?? {}
    git(fixture.project.dir, 'worktree', 'remove', '--force', path)
    expect(existsSync(path)).toBe(false)
    git(fixture.project.dir, 'switch', '-q', branch ?? '')
    const { candidates } = await shiplog.client.tasks.planResume({
      selector: { by: 'task', taskId: root },
    })
    expect(candidates[0]?.obstacle).toContain(`its branch ${branch} is checked out in`)
    git(fixture.project.dir, 'switch', '-q', 'main')
    const { ended } = await resume(shiplog, { by: 'task', taskId: root }, { force: true })
    expect(ended[0]?.status).toBe('completed')
    expect(await readFile(join(path, 'mine.txt'), 'utf8')).toBe('mine')
  })
})

describe('what was allowed before', { timeout: treeTimeoutMs }, () => {
  it('[S5][S6] is asked again: a set-up that was changed meanwhile runs once it is allowed, and not before', async () => {
    const config = '.shiplog/project.yaml'
    const fixture = await openFixture({ files: { [config]: 'setup: touch allowed\n' } })
    const projectId = fixture.project.id
    const { configSha256 } = await fixture.shiplog.client.projects.setup({ projectId })
    await fixture.shiplog.client.projects.trustSetup({
      projectId,
      configSha256: configSha256 as string,
    })
    const root = await start(fixture, alone(fixture.dir))
    await untilAllHold(fixture.shiplog, 1)
    const shiplog = await fixture.restart()
    await writeFile(join(fixture.dir, 'go'), '')
    const path = (await taskOf(shiplog, root)).workspace?.path ?? ''
    expect(existsSync(join(path, 'allowed'))).toBe(true)

    git(fixture.project.dir, 'worktree', 'remove', '--force', path)
    await writeFile(join(fixture.project.dir, config), 'setup: touch not-allowed\n')
    const again = () => resume(shiplog, { by: 'task', taskId: root }, { force: true })
    const { refused } = await again()
    expect(refused).toMatchObject([{ message: expect.stringContaining('it was not allowed yet') }])
    expect((await taskOf(shiplog, root)).runs).toHaveLength(1)
    expect(existsSync(join(path, 'not-allowed'))).toBe(false)

    const changed = await shiplog.client.projects.setup({ projectId })
    const trusted = { projectId, configSha256: changed.configSha256 as string }
    await shiplog.client.projects.trustSetup(trusted)
    expect((await again()).ended).toMatchObject([{ run: 2, status: 'completed' }])
    expect(existsSync(join(path, 'not-allowed'))).toBe(true)
  })
})

describe('going on without a resume', { timeout: treeTimeoutMs }, () => {
  it('[T4][S3] continues from a completed task as a new one, and again, with all that came before', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    const turns = [1, 2, 3].flatMap((n) => [
      `- say: Generation ${n} in {{cwd}}`,
      `- { call: write_file, with: { path: file-${n}.txt, content: "${n}" } }`,
      `- report: { title: Part ${n}, markdown: Part ${n}. }`,
    ])
    let last = await start(fixture, `version: 1\nname: parts\nagents:${agent('lead', turns)}\n`)
    await untilQuiet(shiplog)
    for (let n = 2; n <= 3; n++) {
      const { taskId } = await shiplog.client.tasks.continueFrom({
        taskId: last,
        prompt: `Go on, ${n}`,
      })
      await untilQuiet(shiplog)
      const task = await taskOf(shiplog, taskId)
      expect(task).toMatchObject({
        status: 'completed',
        resumedFrom: { taskId: last },
        reportTitle: `Part ${n}`,
      })
      // From the files of the one before.
      for (let i = 1; i <= n; i++)
        expect(await readFile(join(task.workspace?.path ?? '', `file-${i}.txt`), 'utf8')).toBe(
          `${i}`,
        )
      const own = await entriesOf(shiplog, taskId)
      expect(own.filter(({ type }) => type === 'message')).toHaveLength(4)
      last = taskId
    }
  })

  it('[S3][J4] says in the record of a new task what of the history that it goes on from is lost', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    const from = await start(fixture, short)
    await untilQuiet(shiplog)
    await shiplog.client.workspace.remove({ workspaceId: from })
    const { taskId: whole } = await shiplog.client.tasks.continueFrom({ taskId: from })
    await untilQuiet(shiplog)
    expect((await entriesOf(shiplog, whole)).some(({ type }) => type === 'resume')).toBe(false)

    const chat = join(fixture.dataDir, 'archive', from, 'chat.jsonl')
    const lines = (await readFile(chat, 'utf8')).split('\n')
    await writeFile(chat, lines.toSpliced(2, 1, 'damaged').join('\n'))
    const { taskId } = await shiplog.client.tasks.continueFrom({ taskId: from })
    await untilQuiet(shiplog)
    const told = (await entriesOf(shiplog, taskId)).find(({ type }) => type === 'resume')
    expect(told).toMatchObject({ drift: [expect.stringContaining('Line 3 of the transcript of')] })
  })

  it('[S3] says nothing of damage to what came after the entry that a task continues from', async () => {
    const fixture = await openFixture()
    const from = await start(fixture, short)
    await untilQuiet(fixture.shiplog)
    const { taskId: second } = await fixture.shiplog.client.tasks.continueFrom({ taskId: from })
    await untilQuiet(fixture.shiplog)
    const { resumedFrom } = await taskOf(fixture.shiplog, second)
    const seq = resumedFrom?.seq ?? expect.unreachable()
    await fixture.shiplog.client.tasks.prompt({ taskId: from, prompt: 'More' })
    await until(
      fixture.shiplog,
      async () => (await taskOf(fixture.shiplog, from)).runs.length === 2,
    )
    await untilQuiet(fixture.shiplog)

    const chat = join(layoutOf(fixture.dataDir).sessionDir(from), 'chat.jsonl')
    const whole = (await readFile(chat, 'utf8')).split('\n')
    const last = whole.length - 1
    const damagedFrom = async (line: number, lines: number) => {
      await fixture.shiplog.close()
      await writeFile(chat, whole.toSpliced(line - 1, lines, 'damaged').join('\n'))
      const shiplog = await fixture.restart()
      const { taskId } = await shiplog.client.tasks.continueFrom({ taskId: second })
      await untilQuiet(shiplog)
      const entry = (await entriesOf(shiplog, taskId)).find(({ type }) => type === 'resume')
      return entry?.type === 'resume' ? entry.drift : []
    }
    expect(last).toBeGreaterThan(seq + 2)
    expect(await damagedFrom(seq + 2, 1)).toEqual([])
    expect(await damagedFrom(seq + 1, last - seq)).toEqual([])
    expect(await damagedFrom(seq, 1)).toEqual([
      expect.stringContaining(`Line ${seq} of the transcript of`),
    ])
  })

  it('[T5][T6] retries a failed one, and releases what was blocked by it', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    const scenario = `
version: 1
name: retry
agents:
  lead:
    turns:
      - call: task
        with: { agent: shaky, title: First, prompt: Go, background: true }
      - call: task
        with: { agent: sure, title: Second, prompt: Go, background: true, dependsOn: [First] }
      - call: task_await
        with: { tasks: all }
      - report: { title: Over, markdown: Over. }
  shaky:
    turns:
      - fail: Not today
      - report: { title: Did it, markdown: Did it. }
  sure:
    turns:
      - report: { title: Sure, markdown: Sure. }
`
    await start(fixture, scenario)
    await untilQuiet(shiplog)
    const first = await taskOf(shiplog, 'First')
    expect(first).toMatchObject({ status: 'failed', cause: { kind: 'said', text: 'Not today' } })
    expect(await taskOf(shiplog, 'Second')).toMatchObject({
      status: 'blocked',
      cause: { kind: 'dependencies', tasks: [{ title: 'First', status: 'failed' }] },
    })
    await shiplog.client.tasks.retry({ taskId: first.id })
    await until(shiplog, (tasks) =>
      ['First', 'Second'].every((title) =>
        tasks.some((task) => task.title === title && task.status === 'completed'),
      ),
    )
    expect((await taskOf(shiplog, 'First')).runs).toHaveLength(2)
    await expect(shiplog.client.tasks.retry({ taskId: first.id })).rejects.toMatchObject({
      data: { reason: 'not-failed' },
    })
  })

  it('gives an interrupted one up, and begins it anew', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await writeFile(join(fixture.dir, 'go'), '')
    const { taskId } = await shiplog.client.tasks.restart({ taskId: root })
    await until(shiplog, (tasks) =>
      tasks.some(({ id, status }) => id === taskId && status === 'completed'),
    )
    expect(await taskOf(shiplog, root)).toMatchObject({ status: 'abandoned' })
    expect(await wordsIn(fixture.dir)).toEqual(['one', 'one', 'two'])
    const abandoned = shiplog.client.tasks.abandon({ taskId: root })
    await expect(abandoned).rejects.toMatchObject({ data: { reason: 'not-interrupted' } })
  })
})

const withRunningChild = (dir: string, second: string) => `
version: 1
name: with-running-child
agents:${agent('lead', [
  '- { call: task, with: { agent: child, title: child, prompt: Go, background: true } }',
  `- { call: bash, with: ${hold(dir)} }`,
])}${agent('child', [
  `- { call: bash, with: ${hold(dir)} }`,
  `- { call: bash, with: ${hold(second)} }`,
  '- report: { title: Done, markdown: Done. }',
])}
`

describe('restarting', { timeout: treeTimeoutMs }, () => {
  it('abandons with a root what was interrupted below it, so that no resume offers it', async () => {
    const { root, shiplog } = await interruptedTree()
    const { taskId, abandoned } = await shiplog.client.tasks.restart({ taskId: root })
    await until(shiplog, (tasks) =>
      tasks.some(({ id, status }) => id === taskId && status === 'completed'),
    )
    await untilQuiet(shiplog)
    const old = (await allTasks(shiplog)).filter(({ rootId }) => rootId === root)
    expect(old.map(({ status, cause }) => ({ status, cause }))).toEqual(
      Array(4).fill({ status: 'abandoned', cause: { kind: 'restarted' } }),
    )
    expect(abandoned.sort()).toEqual(
      old.flatMap(({ id, parentId }) => (parentId === null ? [] : [id])).sort(),
    )
    await expect(
      shiplog.client.tasks.planResume({ selector: { by: 'most-recent' } }),
    ).rejects.toMatchObject({ data: { reason: 'nothing-to-resume' } })
  })

  it('spares those that the person decided on otherwise', async () => {
    const { root, shiplog } = await interruptedTree()
    const idOf = async (title: string) => (await taskOf(shiplog, title)).id
    const [left, right, inner] = [await idOf('left'), await idOf('right'), await idOf('inner')]
    const choices = {
      [root]: 'restart' as const,
      [left]: 'abandon' as const,
      [right]: 'leave' as const,
      [inner]: 'resume' as const,
    }
    const outcome = await resume(shiplog, { by: 'tree', taskId: root }, { choices })
    await untilQuiet(shiplog)
    expect(outcome.refused).toEqual([])
    expect(outcome.abandoned).toEqual([left])
    const statusOf = async (id: TaskId) => (await taskOf(shiplog, id)).status
    expect(await statusOf(right)).toBe('interrupted')
    expect(await statusOf(inner)).toBe('completed')
  })

  it('is refused while a sub-agent runs, whose report would reach nobody', async () => {
    const fixture = await openFixture()
    const second = join(fixture.dir, 'second')
    await mkdir(second)
    const root = await start(fixture, withRunningChild(fixture.dir, second))
    await untilAllHold(fixture.shiplog, 2)
    const shiplog = await fixture.restart()
    const child = (await taskOf(shiplog, 'child')).id
    await shiplog.client.tasks.resume({ selector: { by: 'task', taskId: child } })
    await expect(shiplog.client.tasks.restart({ taskId: root })).rejects.toMatchObject({
      data: { reason: 'running' },
      message: expect.stringContaining('"child"'),
    })
    expect((await taskOf(shiplog, root)).status).toBe('interrupted')
    await writeFile(join(second, 'go'), '')
    await shiplog.client.tasks.resumeEnded({ taskIds: [child] })
  })

  it('[S5] gives way to one of those who ask at once for the same agent, and leaves nothing of the others', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await writeFile(join(fixture.dir, 'go'), '')
    const asked = await Promise.allSettled([
      shiplog.client.tasks.restart({ taskId: root }),
      shiplog.client.tasks.restart({ taskId: root }),
      shiplog.client.tasks.prompt({ taskId: root, prompt: 'Go on' }),
      shiplog.client.tasks.resume({ selector: { by: 'task', taskId: root } }),
    ])
    expect(asked.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ])
    await untilQuiet(shiplog)
    const tasks = await allTasks(shiplog)
    expect(tasks.map(({ status }) => status).sort()).toEqual(['abandoned', 'completed'])
    expect((await taskOf(shiplog, root)).runs).toHaveLength(1)
  })
})

describe('going on from what retention took away', () => {
  it('[S3][X1] refuses instead of going on without its history, and does once it is taken back', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    const root = await start(fixture, short)
    await untilQuiet(shiplog)
    await shiplog.client.workspace.remove({ workspaceId: root })
    const settings = await shiplog.client.retention.settings()
    await shiplog.client.retention.setSettings({ ...settings, bytesMax: 0 })
    const { receipt } = await shiplog.client.retention.sweep({})
    const goOn = () => shiplog.client.tasks.continueFrom({ taskId: root })
    await expect(goOn()).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining(`shiplog prune --undo ${receipt}`),
    })
    await shiplog.client.retention.undo({ receiptId: receipt as never })
    const { taskId } = await goOn()
    await untilQuiet(shiplog)
    expect(await taskOf(shiplog, taskId)).toMatchObject({
      resumedFrom: { taskId: root },
      status: 'completed',
    })
  })
})

const short = `
version: 1
name: short
agents:${agent('lead', ['- report: { title: One, markdown: One. }', '- report: { title: Two, markdown: Two. }'])}
`
