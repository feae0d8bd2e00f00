import { afterEach, beforeEach, expect, it } from 'vitest'
import { openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

it('records the whole plan, and states the next step', async () => {
  const items = [
    { text: 'Read the parser', status: 'completed' },
    { text: 'Add time zones', status: 'in-progress' },
    { text: 'Test them', status: 'pending' },
  ]
  expect(await bench.call('update_plan', { items })).toEqual({
    outcome: 'ok',
    output:
      '1 of 3 done. Next: Add time zones\n[x] Read the parser\n[~] Add time zones\n[ ] Test them',
  })
  await bench.call('update_plan', { items: items.slice(0, 1) })
  expect(bench.plans).toEqual([items, items.slice(0, 1)])
})

it('refuses a plan without items, and lists the valid statuses', async () => {
  expect(await bench.call('update_plan', { items: [] })).toMatchObject({ outcome: 'error' })
  const wrong = await bench.call('update_plan', { items: [{ text: 'Test', status: 'done' }] })
  expect(wrong.output).toContain('items[0].status')
  expect(wrong.output).toContain('"completed"')
  expect(bench.plans).toEqual([])
})
