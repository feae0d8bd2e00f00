/** Budgets of trees on a real ledger; the runs are the test's. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openLedger } from '../../../src/main/ledger/ledger.ts'
import { Interruption } from '../../../src/main/runs/interruption.ts'
import { createTreeLimits } from '../../../src/main/tasks/limits/tree-limits.ts'
import { createTaskLedger } from '../../../src/main/tasks/state/task-ledger.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { Budget } from '../../../src/shared/records/tasks/budgets.ts'
import { noUsage, type Usage } from '../../../src/shared/records/usage.ts'
import { temporaryDir } from '../../harness.ts'
import { taskCreated } from '../../ledger/histories.ts'

const spent = (costUsd: number | null, tokens = 100): Usage => ({
  ...noUsage,
  inputTokens: tokens,
  costUsd,
  pricedBy: costUsd === null ? null : 'estimate',
  unpriced: costUsd === null,
})

/** A root with a sub-agent, both at work. */
async function tree(budget: Budget, { canAsk = true } = {}) {
  const path = join(await temporaryDir(), 'ledger.jsonl')
  const open = () => openLedger(path, '')
  let ledger = await open()
  onTestFinished(() => ledger.close())
  const project = newProjectId()
  const [root, child] = [newTaskId(), newTaskId()]
  const created = taskCreated(root, project)
  const options = { ...created.options, budget }
  await ledger.record(
    { ...created, options },
    { ...taskCreated(child, project, root), options },
    ...[root, child].map((taskId) => ({
      type: 'task.spawned' as const,
      taskId,
      run: 1,
      spawnCommit: null,
      process: { pid: 1, startedAt: '1' },
    })),
  )
  const notices: string[] = []
  const paused: TaskId[] = []
  const answered: TaskId[] = []
  let nowMs = Date.now()
  const limits = () => {
    const made = createTreeLimits({
      ledger,
      taskLedger: createTaskLedger(ledger),
      clock: () => nowMs,
      canAsk: () => canAsk,
      messages: { of: () => [], deliver: async () => true },
      onNotice: (text) => notices.push(text),
      onAnswered: (taskId) => answered.push(taskId),
    })
    const run = (taskId: TaskId) =>
      made.forRun(taskId, 1, async (work) => {
        paused.push(taskId)
        await work()
      })
    return { ...made, root: run(root), child: run(child) }
  }
  return {
    root,
    child,
    notices,
    paused,
    answered,
    limits,
    state: () => ledger.state.tasks.get(root),
    pass: (ms: number) => {
      nowMs += ms
    },
    async restart() {
      await ledger.close()
      ledger = await open()
    },
  }
}

const never = new AbortController().signal

it('[Q1] considers a quota available only after usage by a model', async () => {
  const { child, limits, answered } = await tree({ usd: 1 })
  const { child: run } = limits()
  run.used(noUsage)
  run.used({ ...noUsage, complete: false })
  expect(answered).toEqual([])
  run.used(spent(0.1))
  run.used(spent(0.1))
  expect(answered).toEqual([child])
})

it('[Q2] sums the usage of all agents of a tree, gives a notice at 80%, and pauses each before its next turn', async () => {
  const { root, limits, notices, paused, state } = await tree({ usd: 1 })
  const { root: lead, child, setBudget } = limits()
  child.used(spent(0.5))
  lead.used(spent(0.2))
  await lead.beforeTurn(never)
  expect(notices).toEqual([])
  lead.used(spent(0.35))
  await Promise.all([lead.beforeTurn(never), child.beforeTurn(never)])
  expect(notices).toEqual(['"A task" has used $0.85 of its budget of $1.00.'])
  lead.used(spent(0.6))
  const waiting = [lead.beforeTurn(never), child.beforeTurn(never)]
  await expect.poll(() => paused.length).toBe(2)
  expect(state()?.budgetReached?.map(({ part, level }) => [part, level])).toEqual([
    ['usd', 'near'],
    ['usd', 'spent'],
  ])
  await setBudget(root, { usd: 1.05 })
  await expect.poll(() => paused.length).toBe(4)
  await setBudget(root, { usd: 2 })
  await Promise.all(waiting)
  expect(notices).toHaveLength(1)
  expect(state()?.budgetReached?.some(({ level }) => level === 'spent') ?? false).toBe(false)
})

it('[Q2] is spent after a restart as before it', async () => {
  const { limits, restart, paused, state } = await tree({ tokens: 1_000 })
  const before = limits()
  before.child.used(spent(0.1, 1_200))
  await restart()
  // The crashed run's usage is in the ledger by then; here the limits of the next process read it.
  const after = limits()
  after.child.used(spent(0.1, 1_200))
  const abort = new AbortController()
  const waiting = after.root.beforeTurn(abort.signal)
  await expect.poll(() => paused.length).toBe(1)
  await restart()
  expect(state()?.budgetReached).toMatchObject([{ part: 'tokens', level: 'spent', used: 1_200 }])
  abort.abort(new Interruption({ kind: 'stopped', by: 'person' }))
  await expect(waiting).rejects.toThrow('stopped by you')
})

it('[Q2] ends a tree if nobody can be asked, and states its usage', async () => {
  const { limits } = await tree({ usd: 0.05 }, { canAsk: false })
  const { root } = limits()
  root.used(spent(0.07))
  await expect(root.beforeTurn(never)).rejects.toMatchObject({
    why: { kind: 'budget', detail: '$0.07 of $0.05' },
  })
})

it.each([
  ['money, and a model has no price', { usd: 5 }, spent(null), 'no known price'],
  [
    'tokens, and a turn did not say what it used',
    { tokens: 5_000 },
    { ...noUsage, complete: false },
    'does not report its usage',
  ],
])('[Q2] does not pass over a budget of %s', async (_, budget, usage, why) => {
  const { limits } = await tree(budget, { canAsk: false })
  const { root } = limits()
  root.used(usage)
  await expect(root.beforeTurn(never)).rejects.toThrow(why)
  const { limits: allowed } = await tree({ ...budget, allowUnpriced: true }, { canAsk: false })
  const other = allowed().root
  other.used(usage)
  await other.beforeTurn(never)
})

it('[Q2] counts time while an agent works, and not while the tree is paused', async () => {
  const { root, limits, paused, pass } = await tree({ minutes: 10 })
  const { root: lead, setBudget } = limits()
  pass(11 * 60_000)
  const waiting = lead.beforeTurn(never)
  await expect.poll(() => paused.length).toBe(1)
  await setBudget(root, { minutes: 12 })
  await waiting
})

it('[Q3] gives an agent that must wrap up its last turn, regardless of the budget', async () => {
  const { child, limits, paused } = await tree({ usd: 1 })
  const { child: run, wrapUp, ended } = limits()
  run.used(spent(2))
  const waiting = run.beforeTurn(never)
  await expect.poll(() => paused.length).toBe(1)
  wrapUp([child])
  await waiting
  expect(run.isWrappingUp()).toBe(true)
  ended(child)
  expect(run.isWrappingUp()).toBe(false)
})

it('[Q3] handles a stop or a wrap-up that arrives while the spent budget is being recorded', async () => {
  const { root, limits, paused } = await tree({ usd: 1 })
  const { root: lead, child, wrapUp } = limits()
  lead.used(spent(2))
  const abort = new AbortController()
  const stopped = child.beforeTurn(abort.signal)
  const wrapped = lead.beforeTurn(never)
  abort.abort(new Interruption({ kind: 'stopped', by: 'person' }))
  wrapUp([root])
  await expect(stopped).rejects.toThrow('stopped by you')
  await wrapped
  expect(paused).toEqual([])
})

it('remembers over a restart that a summary was requested, and requests it once', async () => {
  const { root, limits, restart } = await tree({})
  await limits().compact(root)
  await restart()
  const after = limits()
  expect(await after.root.takeCompaction()).toBe(true)
  expect(await after.root.takeCompaction()).toBe(false)
  await restart()
  expect(await limits().root.takeCompaction()).toBe(false)
})
