import { expect, it } from 'vitest'
import { summaryOf } from '../../src/main/runs/run-summary.ts'

it.each([
  ['Two files.', 'Done\n\nTwo files.'],
  ['# Report\n\nFirst\nparagraph.\n\nSecond.', 'Done\n\nFirst\nparagraph.'],
  ['', 'Done'],
  ['## Only\n\n### headings', 'Done'],
])('sums %j up as %j', (markdown, text) => {
  expect(summaryOf({ title: 'Done', markdown })).toEqual({ type: 'summary', text })
})

it('stays short whatever the report is', () => {
  const { text } = summaryOf({ title: 'Done', markdown: 'x'.repeat(100_000) }) as { text: string }
  expect(text).toHaveLength(2_000)
})
