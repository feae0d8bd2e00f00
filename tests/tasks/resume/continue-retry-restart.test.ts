import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import {
  allTasks,
  entriesOf,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { itInSoak } from '../../soak.ts'
import { hold, untilAllHold } from '../../waiting-agents.ts'
import {
  agent,
  interruptedAlone,
  interruptedTree,
  resume,
  short,
  treeTimeoutMs,
  wordsIn,
} from './interrupted.ts'

describe('continuing, retrying and abandoning', { timeout: treeTimeoutMs }, () => {
  it('[T4][S3] continues a completed task as a new one, twice, with the whole history', async () => {
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

  it('[S3][J4] states in the record of a new task which part of the continued history is lost', async () => {
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

  itInSoak(
    '[S3] says nothing of damage to what came after the entry that a task continues from',
    async () => {
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
    },
  )

  it('[T5][T6] retries a failed task, and releases the tasks that it blocked', async () => {
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

  it('abandons an interrupted task, and restarts it', async () => {
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
  itInSoak(
    'abandons with a root what was interrupted below it, so that no resume offers it',
    async () => {
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
    },
  )

  itInSoak('leaves out those that the user excluded', async () => {
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

  it('is refused while a sub-agent runs, because its report would have no reader', async () => {
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

  it('[S5] accepts one of several simultaneous requests for the same agent, and leaves nothing of the others', async () => {
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

describe('continuing an expired transcript', () => {
  it('[S3][X1] is refused, because its history would be missing, until it is restored', async () => {
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
