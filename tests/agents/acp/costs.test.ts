/** What installed agents cost, as they report it, against the budget of their tree. */
import { expect, it } from 'vitest'
import { basesOf, createSessionCost } from '../../../src/main/agents/acp/updates/session-cost.ts'
import type { AgentSessionCost } from '../../../src/shared/agents/agent-records.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { costText } from '../../../src/shared/text/usage-text.ts'
import {
  type AgentScript,
  ended,
  inside,
  type Step,
  subAgent,
  textChunk,
} from '../../acp-agent/script.ts'
import { allTasks, until } from '../../harness.ts'
import { messagesOf } from '../../runs/run-stage.ts'
import { itInSoak } from '../../soak.ts'
import { acpFixture } from './acp-fixture.ts'
import { acpStage } from './acp-stage.ts'

const costs = (amount: number): Step => ({
  update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount, currency: 'USD' } },
})
const resumable: Pick<AgentScript, 'capabilities'> = {
  capabilities: { sessionCapabilities: { resume: {} } },
}
const script = (...prompts: Step[][]): AgentScript => ({ ...resumable, prompts })

/** A root that goes on with its session, in a process of its own for each follow-up. */
async function rootWithBudget(usd: number, first: AgentScript) {
  const { shiplog, begin, play } = await acpFixture(first)
  const root = await begin('allow-all', { budget: { usd } })
  const completed = (runs: number) =>
    until(shiplog, (tasks) =>
      tasks.some(
        (task) => task.id === root && task.status === 'completed' && task.runs.length === runs,
      ),
    )
  await completed(1)
  let runs = 1
  async function start(next: AgentScript) {
    await play(next)
    await shiplog.client.tasks.prompt({ taskId: root, prompt: 'More' })
    runs++
  }
  return {
    shiplog,
    root,
    start,
    usage: async () => (await allTasks(shiplog)).find(({ id }) => id === root)?.usage,
    async continueWith(next: AgentScript) {
      await start(next)
      await completed(runs)
    },
  }
}

const reachedBy = (shiplog: Awaited<ReturnType<typeof acpFixture>>['shiplog'], root: TaskId) =>
  until(shiplog, (tasks) =>
    tasks.some(({ id, budgetReached = [] }) => id === root && budgetReached.length > 0),
  )

it('[Q2] counts only the new cost of a session that continues', async () => {
  const prompt = (amount: number) => script([textChunk('Done.'), costs(amount), ended()])
  const { shiplog, root, continueWith, start, usage } = await rootWithBudget(0.3, prompt(0.1))
  await continueWith(prompt(0.2))
  expect(await usage()).toMatchObject({ costUsd: 0.2, unpriced: false, pricedBy: 'agent' })
  await continueWith(prompt(0.35))
  await start(prompt(0.4))
  await reachedBy(shiplog, root)
  const task = (await allTasks(shiplog)).find(({ id }) => id === root)
  expect(task?.usage.costUsd).toBeCloseTo(0.35)
  expect(task?.budgetReached).toMatchObject([{ part: 'usd', level: 'spent' }])
  await shiplog.client.tasks.stop({ taskId: root })
})

itInSoak('[Q2] treats a lower cost as that of a restarted count', async () => {
  const prompt = (...steps: Step[]) => script([...steps, textChunk('Done.'), ended()])
  const { continueWith, usage } = await rootWithBudget(1, prompt(costs(0.2)))
  await continueWith(prompt(costs(0.05)))
  expect((await usage())?.costUsd).toBeCloseTo(0.25)
  // The same session, with the count that goes on from there.
  await continueWith(prompt(costs(0.3)))
  expect((await usage())?.costUsd).toBeCloseTo(0.5)
})

it('[Q2] keeps the reported usage of an interrupted prompt, and counts the rest with the next one', async () => {
  const { run, entries } = await acpStage()
  const cut = await run({
    ...resumable,
    prompts: [[textChunk('Half'), costs(0.2), textChunk(' done'), { exit: 1 }]],
  })
  expect(cut).toMatchObject({ status: 'interrupted', usage: { costUsd: 0.2, complete: false } })
  const resume = { reason: 'resume' as const, prompt: { text: '', images: [] } }
  const next = await run(script([textChunk('Whole.'), costs(0.5), ended()]), { ...resume, run: 2 })
  expect(next.usage.costUsd).toBeCloseTo(0.3)
  expect(messagesOf(await entries()).map(({ sessionCostUsd }) => sessionCostUsd)).toEqual([
    0.2, 0.5,
  ])
})

it('[Q2] continues from what an agent had saved before it was killed', () => {
  const next = (cost: AgentSessionCost, totalUsd: number, savesCostAtEnd = true) => {
    const counted = createSessionCost()
    counted.continueFrom(basesOf(cost, { savesCostAtEnd }))
    counted.reported(totalUsd)
    return counted.uncountedUsd()
  }
  const killed = { reportedUsd: 0.5, savedUsd: 0.2, wasKilled: true }
  // Its sum begins at what it saved, whether or not it is beyond what it had reported.
  expect(next(killed, 0.3)).toBeCloseTo(0.1)
  expect(next(killed, 0.6)).toBeCloseTo(0.4)
  // One that keeps its sum in another way.
  expect(next(killed, 0.6, false)).toBeCloseTo(0.1)
  // It began again.
  expect(next(killed, 0.1)).toBeCloseTo(0.1)
  // How its process ended is not known, and its sum shows that it was not in order.
  const crashed = { ...killed, wasKilled: false }
  expect([next(crashed, 0.6), next(crashed, 0.3)]).toEqual([
    expect.closeTo(0.1),
    expect.closeTo(0.1),
  ])
})

it('[G6] starts from the cost that a loaded session reports, and adds no replayed cost', async () => {
  const { run } = await acpStage()
  const loads = { capabilities: { loadSession: true } }
  const update = (amount: number) => (costs(amount) as { update: object }).update
  await run({ ...loads, prompts: [[textChunk('One.'), costs(0.2), ended()]] })
  const next = await run(
    {
      ...loads,
      replay: [update(0.1), update(0.2)],
      prompts: [[textChunk('Two.'), costs(0.25), ended()]],
    },
    { reason: 'resume', prompt: { text: '', images: [] }, run: 2 },
  )
  expect(next.usage.costUsd).toBeCloseTo(0.05)
})

it('[Q2] treats the cost of the agent’s own sub-agents as part of their parent’s', async () => {
  const announced = (state: object): Step =>
    subAgent('c1', { title: 'Explore', description: 'explorer', state })
  const { shiplog, continueWith } = await rootWithBudget(
    1,
    script([
      announced({ state: 'running' }),
      inside('c1', textChunk('I look.', 'k1')),
      announced({
        state: 'idle',
        stopReason: 'end_turn',
        usage: { totalTokens: 12, inputTokens: 9, outputTokens: 3 },
      }),
      // It says nothing at all of what this one used.
      subAgent('c2', { title: 'Look', description: 'explorer', state: { state: 'running' } }),
      inside('c2', textChunk('I look as well.', 'k2')),
      subAgent('c2', { state: { state: 'idle', stopReason: 'end_turn' } }),
      textChunk('Done.'),
      ...[costs(0.2), ended()],
    ]),
  )
  await continueWith(script([textChunk('More.'), costs(0.4), ended()]))
  const tasks = await allTasks(shiplog)
  expect(tasks.map(({ usage }) => usage.costUsd)).toEqual([expect.closeTo(0.4), null, null])
  // Unknown, and not 0.
  expect(tasks.slice(1).map(({ usage }) => costText(usage))).toEqual([
    'cost unknown',
    'cost unknown',
  ])
})
