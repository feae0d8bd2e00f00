/** Budgets and cost on the command line. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { temporaryDir, writeFiles } from '../../harness.ts'
import { runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from '../fake-shiplog.ts'

let fake: FakeShiplog
let lead: TaskId
beforeEach(() => {
  fake = createFakeShiplog()
  lead = fake.createTask({ projectId: fake.addProject('/code/api'), title: 'Fix the parser' })
  fake.spawn(lead)
})
const run = (...argv: string[]) => runToEnd(argv, { fake })

it('[G6] tasks list shows what a tree cost, and marks what is unknown', async () => {
  const child = fake.createTask({ projectId: fake.addProject('/code/api'), parentId: lead })
  fake.spawn(child)
  const process = { taskId: child, run: 1 }
  fake.record({
    type: 'task.completed',
    ...process,
    usage: { ...noUsage, inputTokens: 900, costUsd: 0.42, pricedBy: 'estimate', unpriced: true },
  })
  const { stdout } = await run('tasks', 'list')
  const [, title, root, below] = stdout.split('\n')
  expect(title).toContain('COST')
  expect(root).toContain('~$0.42+')
  expect(below).toContain('~$0.42+')
  const { tasks } = JSON.parse((await run('tasks', 'list', '--json')).stdout)
  expect(tasks[0]).toMatchObject({ usage: { costUsd: null }, treeUsage: { costUsd: 0.42 } })
})

it('[Q3] tasks stop --wrap-up asks for a report instead', async () => {
  const { code, stderr } = await run('tasks', 'stop', lead, '--wrap-up')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stderr).toContain(`Asked ${lead.slice(0, 8)} to report at the next turn.`)
  expect(fake.asked('tasks.stop')).toEqual([])
})

it.each([
  ['--budget-usd', '0'],
  ['--budget-tokens', '1.5'],
  ['--budget-minutes', 'ten'],
])('[Q2] refuses %s %s', async (flag, value) => {
  const { code, stderr } = await run('agent', 'run', 'Go', '--project', '/code/api', flag, value)
  expect(code).toBe(2)
  expect(stderr).toContain(flag)
})

describe('a reached limit', () => {
  /** A run whose agent pauses at a limit of 1000 tokens, and ends once the limit was changed or it was stopped. */
  function pausing(level: 'spent' | 'unpriced' = 'spent') {
    const paused = createFakeShiplog()
    paused.onStart(async (taskId) => {
      paused.record({ type: 'task.budget-set', taskId, budget: { tokens: 1000 } })
      paused.spawn(taskId)
      const reached = { part: 'tokens', level, used: 1200 } as const
      paused.record({ type: 'task.budget-reached', taskId, ...reached })
      for await (const _ of await paused.shiplog.client.feed.ledger()) {
        const { status, options } = paused.state.tasks.get(taskId) ?? {}
        if (status === 'interrupted') return
        const isWrappedUp = paused.asked('tasks.wrapUp').length > 0
        if (!isWrappedUp && options?.budget?.tokens === 1000 && !options.budget.allowUnpriced)
          continue
        return paused.complete(taskId)
      }
    })
    return paused
  }
  async function start(paused: FakeShiplog) {
    const cwd = await temporaryDir()
    await writeFiles(cwd, { 'a.yaml': 'version: 1', 'api/README.md': '' })
    const argv = ['agent', 'run', 'Go', '--project', 'api', '--scenario', 'a.yaml']
    return startCli(argv, { cwd, fake: paused, stderrTTY: true, stdinText: '' })
  }

  it.each([
    ['r', 2400],
    ['50000', 50_000],
    ['50k', 50_000],
  ])('[Q2] is asked about in the terminal; %j raises it', async (typed, tokens) => {
    const paused = pausing()
    const cli = await start(paused)
    await cli.said('another limit in tokens: ')
    cli.type(`${typed}\n`)
    expect(await cli.ended).toMatchObject({ code: 0 })
    expect(paused.asked('tasks.setBudget')).toMatchObject([{ budget: { tokens } }])
  })

  it('[Q2] states the usage, and asks again after an invalid answer', async () => {
    const cli = await start(pausing())
    await cli.said('another limit in tokens: ')
    cli.type('800\n')
    await cli.said('more than the 1.2K tokens')
    cli.type('perhaps\n')
    await cli.said('Type r, w, s or a number')
    cli.type('s\n')
    const { code, stderr } = await cli.ended
    expect(code).toBe(1)
    expect(stderr).toContain('"Go": The limit is reached: 1.2K tokens of 1K tokens.')
    expect(stderr).toContain('[r]aise it to 2.4K tokens')
  })

  it('[Q3] can be answered with a report at once', async () => {
    const paused = pausing()
    const cli = await start(paused)
    await cli.said('another limit in tokens: ')
    cli.type('w\n')
    await cli.said('Asked to report')
    // The record changes, as it does in the turn that reports.
    paused.addProject('/code/other')
    expect(await cli.ended).toMatchObject({ code: 0 })
    expect(paused.asked('tasks.wrapUp')).toHaveLength(1)
  })

  it('[Q2] continues without a limit that can’t be checked', async () => {
    const paused = pausing('unpriced')
    const cli = await start(paused)
    await cli.said('[c]ontinue without checking it')
    cli.type('c\n')
    expect(await cli.ended).toMatchObject({ code: 0 })
    expect(paused.asked('tasks.setBudget')).toMatchObject([{ budget: { allowUnpriced: true } }])
  })

  it('[Q2] ends the run if nobody can be asked, and prints the command to continue', async () => {
    const cwd = await temporaryDir()
    await writeFiles(cwd, { 'a.yaml': 'version: 1', 'api/README.md': '' })
    const headless = createFakeShiplog()
    headless.onStart(async (taskId) => {
      headless.record({ type: 'task.budget-set', taskId, budget: { tokens: 1000 } })
      headless.spawn(taskId)
      const reached = { part: 'tokens', level: 'spent', used: 1200 } as const
      headless.record({ type: 'task.budget-reached', taskId, ...reached })
      headless.interrupt(taskId, { kind: 'budget', detail: '1.2K tokens of 1K tokens' })
    })
    const argv = ['agent', 'run', 'Go', '--project', 'api', '--scenario', 'a.yaml']
    const { code, stderr } = await runToEnd(argv, { cwd, fake: headless })
    const [id = ''] = [...headless.state.tasks.keys()]
    expect(code).toBe(1)
    expect(stderr).toContain('stopped by its budget: 1.2K tokens of 1K tokens')
    expect(stderr).toContain(`shiplog agent run --resume ${id.slice(0, 8)} --budget-tokens N`)
  })
})

it('[Q1] tasks list shows a tree that waits for a quota as sleeping, and offers no resume', async () => {
  const untilMs = Date.parse('2026-11-21T13:20:00Z')
  const cause = { kind: 'quota', untilMs, detail: '5-hour limit' } as const
  fake.interrupt(lead, cause)
  fake.record({
    type: 'task.sleep-started',
    taskId: lead,
    untilMs,
    wait: 1,
    reason: cause.detail,
  })
  const { stdout, stderr } = await run('tasks', 'list')
  expect(stdout).toContain('☾ sleeping')
  expect(stdout).toMatch(/until .*2026.*, then it continues automatically: 5-hour limit/)
  expect(stderr).not.toContain('interrupted')
})

it('[Q1] agent run waits with a tree for its quota, from the end of the first agent without quota', async () => {
  const cwd = await temporaryDir()
  await writeFiles(cwd, { 'a.yaml': 'version: 1', 'api/README.md': '' })
  const waiting = createFakeShiplog()
  const started = Promise.withResolvers<TaskId>()
  waiting.onStart(async (taskId) => started.resolve(taskId))
  const argv = ['agent', 'run', 'Go', '--project', 'api', '--scenario', 'a.yaml']
  const cli = startCli([...argv, '--quota-waits', '1'], { cwd, fake: waiting })
  const taskId = await started.promise
  const untilMs = Date.now() + 60_000
  waiting.spawn(taskId)
  waiting.interrupt(taskId, { kind: 'quota', untilMs, detail: '5-hour limit' })
  await cli.said('interrupted')
  waiting.record({ type: 'task.sleep-started', taskId, untilMs, wait: 1, reason: '5-hour limit' })
  await cli.said('☾ sleeping')
  waiting.record({ type: 'task.resumed', taskId, run: 2, process: { pid: 1, startedAt: '1' } })
  waiting.record({ type: 'task.sleep-ended', taskId, because: 'woke' })
  waiting.complete(taskId)
  expect(await cli.ended).toMatchObject({ code: 0 })
})

it('[Q1] --quota-waits 0 never waits, whatever the settings allow', async () => {
  const cwd = await temporaryDir()
  await writeFiles(cwd, { 'a.yaml': 'version: 1', 'api/README.md': '' })
  const started = createFakeShiplog()
  started.onStart(async (taskId) => started.complete(taskId))
  const argv = ['agent', 'run', 'Go', '--project', 'api', '--scenario', 'a.yaml']
  const { code } = await runToEnd([...argv, '--quota-waits', '0'], { cwd, fake: started })
  expect(code).toBe(0)
  expect(started.asked('tasks.start')).toMatchObject([{ quotaWaits: 0 }])
})
