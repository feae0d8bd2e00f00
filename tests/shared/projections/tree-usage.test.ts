/** Time, cost and budgets of trees: what is added up, and how it reads. */
import { expect, it } from 'vitest'
import {
  budgetUse,
  timeAtWork,
  usageOfTask,
} from '../../../src/shared/projections/ledger/tree-usage.ts'
import { isWiderBudget } from '../../../src/shared/records/tasks/budgets.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { noUsage, unknownUsage } from '../../../src/shared/records/usage.ts'
import { amountText, budgetText, costHint, costText } from '../../../src/shared/text/usage-text.ts'

const at = (minute: number) => new Date(minute * 60_000).toISOString()
const task = (...spans: [number, number | null][]) =>
  ({
    id: 'one',
    status: spans.at(-1)?.[1] === null ? 'spawned' : 'completed',
    usage: { ...noUsage, inputTokens: 5 },
    runs: spans.map(([from, to], index) => ({
      run: index + 1,
      startedAt: at(from),
      endedAt: to === null ? null : at(to),
    })),
  }) as unknown as Task

it('[Q2] counts the time of agents that work side by side once, without pauses', () => {
  const tasks = [task([0, 10], [20, null]), task([5, 12])]
  expect(timeAtWork(tasks, undefined, 25 * 60_000) / 60_000).toBe(12 + 5)
  const pauses = [
    { from: at(8), to: at(11) },
    { from: at(24), to: null },
  ]
  expect(timeAtWork(tasks, pauses, 25 * 60_000) / 60_000).toBe(9 + 4)
})

it('adds a running run’s usage to that of the ended ones, once', () => {
  const live = (run: number) =>
    new Map([['one', { run, usage: { ...noUsage, inputTokens: 7 } }]]) as never
  expect(usageOfTask(task([0, null]), live(1)).inputTokens).toBe(12)
  expect(usageOfTask(task([0, 1]), live(1)).inputTokens).toBe(5)
  expect(usageOfTask(task([0, 1], [2, null]), live(1)).inputTokens).toBe(5)
})

it('names the most used part first', () => {
  const usage = { ...noUsage, inputTokens: 900, outputTokens: 50, costUsd: 0.2 }
  expect(budgetUse({ usd: 1, tokens: 1_000, minutes: 10 }, usage, 60_000)).toEqual([
    { part: 'tokens', used: 950, limit: 1_000 },
    { part: 'usd', used: 0.2, limit: 1 },
    { part: 'minutes', used: 1, limit: 10 },
  ])
})

it('knows which budget allows more', () => {
  expect(isWiderBudget({ usd: 5 }, { usd: 4 })).toBe(true)
  expect(isWiderBudget(null, { usd: 4 })).toBe(true)
  expect(isWiderBudget({ usd: 4, allowUnpriced: true }, { usd: 4 })).toBe(true)
  expect(isWiderBudget({ usd: 4, tokens: 100 }, { usd: 4 })).toBe(false)
  expect(isWiderBudget({ usd: 4 }, null)).toBe(false)
})

it('[G6] marks a cost that is an estimate or has an unknown part, and shows no 0 for one that is not known', () => {
  const cost = { ...noUsage, inputTokens: 10, costUsd: 0.416, pricedBy: 'agent' } as const
  expect(costText(cost)).toBe('$0.42')
  expect(costText({ ...cost, pricedBy: 'estimate' })).toBe('~$0.42')
  expect(costText({ ...cost, pricedBy: 'estimate', unpriced: true })).toBe('~$0.42+')
  expect(costText({ ...cost, costUsd: 0.002, complete: false })).toBe('<$0.01+')
  expect(costText({ ...cost, costUsd: 0.002, pricedBy: 'estimate' })).toBe('<$0.01')
  expect(costText({ ...cost, costUsd: null })).toBe('cost unknown')
  expect(costText(unknownUsage)).toBe('cost unknown')
  expect(costText(noUsage)).toBe(null)
  expect(costHint({ ...cost, pricedBy: 'estimate', complete: false })).toBe(
    'Estimated from public prices. Some of the usage was not reported, as by a request that was cut short.',
  )
})

it('formats a budget', () => {
  expect(budgetText({ usd: 5, tokens: 200_000, minutes: 90 })).toBe('$5.00 · 200K tokens · 90 min')
  expect(budgetText(null)).toBe('no limit')
  expect(amountText('minutes', 4.26)).toBe('4.2 min')
})
