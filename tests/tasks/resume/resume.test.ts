import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { ResumeSelector } from '../../../src/shared/records/resume.ts'
import { momentOf } from '../../../src/shared/text/format-time.ts'
import { allTasks, entriesOf, git, openFixture, start, taskOf, untilQuiet } from '../../harness.ts'
import { itInSoak } from '../../soak.ts'
import { untilAllHold } from '../../waiting-agents.ts'
import {
  alone,
  interruptedAlone,
  interruptedTree,
  resume,
  treeTimeoutMs,
  wordsIn,
} from './interrupted.ts'

describe('resuming a tree', { timeout: treeTimeoutMs }, () => {
  it('[S1][S3][S7] resumes every interrupted agent once, and runs no call twice', async () => {
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

  itInSoak('[S1] does with each agent what was chosen for it', async () => {
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

  itInSoak(
    '[T5] runs at most as many of them at once as requested, not counting one that awaits',
    async () => {
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
    },
  )
})

describe('resuming one', () => {
  it('[S1] accepts a unique prefix, uses the most recent one, and lists the candidates of an ambiguous text', async () => {
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

  it('ends an aborted wait at once, while the agent continues', async () => {
    const { fixture, root, shiplog } = await interruptedAlone()
    await shiplog.client.tasks.resume({ selector: { by: 'task', taskId: root } })
    const abort = new AbortController()
    const waiting = shiplog.client.tasks.resumeEnded({ taskIds: [root] }, { signal: abort.signal })
    abort.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await writeFile(join(fixture.dir, 'go'), '')
    const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds: [root] })
    expect(ended[0]).toMatchObject({ taskId: root, run: 2, status: 'completed' })
  })

  it('[S2][S5][S7] starts nothing if there are conflicts, and continues when forced, recording the differences', async () => {
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
    // It stays listed as what needs the user, also after a restart.
    expect(await taskOf(shiplog, root)).toMatchObject({
      status: 'interrupted',
      conflictsFound: { files: 1 },
    })

    const { ended } = await resume(shiplog, { by: 'task', taskId: root }, { force: true })
    expect(ended[0]?.status).toBe('completed')
    expect((await taskOf(shiplog, root)).conflictsFound).toBeUndefined()
    const entry = (await entriesOf(shiplog, root)).find(({ type }) => type === 'resume')
    expect(JSON.stringify(entry)).toContain('mine.txt')
  })

  it('[S4][S5] does not change it if its project is missing, and creates a missing worktree again', async () => {
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

describe('permissions of the first start', { timeout: treeTimeoutMs }, () => {
  it('[S5][S6] do not cover a changed set-up command, which runs only once it is allowed', async () => {
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
    expect(refused).toMatchObject([
      { message: expect.stringContaining('you have not allowed yet') },
    ])
    expect((await taskOf(shiplog, root)).runs).toHaveLength(1)
    expect(existsSync(join(path, 'not-allowed'))).toBe(false)

    const changed = await shiplog.client.projects.setup({ projectId })
    const trusted = { projectId, configSha256: changed.configSha256 as string }
    await shiplog.client.projects.trustSetup(trusted)
    expect((await again()).ended).toMatchObject([{ run: 2, status: 'completed' }])
    expect(existsSync(join(path, 'not-allowed'))).toBe(true)
  })
})
