import { expect, it } from 'vitest'
import {
  type AfterTurn,
  afterTurn,
  type FinishedTurn,
} from '../../../src/main/agents/model/after-turn.ts'

const turn: FinishedTurn = {
  calls: 0,
  finishReason: 'stop',
  truncatedAnswers: 0,
  mustReport: false,
  wasAskedForReport: false,
}

it.each<[string, Partial<FinishedTurn>, AfterTurn['kind'], RegExp | null]>([
  ['answers with text', {}, 'done', null],
  ['makes calls', { calls: 2, finishReason: 'tool-calls' }, 'continue', null],
  ['makes calls in a last answer', { calls: 1 }, 'continue', null],
  ['makes calls and is cut off', { calls: 1, finishReason: 'length' }, 'continue', null],
  ['owes a report', { mustReport: true }, 'continue', /Call agent_report now/],
  ['owes a report that was asked for', { mustReport: true, wasAskedForReport: true }, 'done', null],
  ['is cut off', { finishReason: 'length', truncatedAnswers: 3 }, 'continue', /was cut off here/],
  [
    'is cut off before its report',
    { finishReason: 'length', truncatedAnswers: 1, mustReport: true },
    'continue',
    /was cut off here/,
  ],
  [
    'is cut off too often',
    { finishReason: 'length', truncatedAnswers: 4 },
    'failed',
    /4 times in a row/,
  ],
  ['is filtered', { finishReason: 'content-filter' }, 'failed', /content filter/],
])('after a turn that %s', (_, change, kind, text) => {
  const next = afterTurn({ ...turn, ...change })
  expect(next.kind).toBe(kind)
  const said =
    next.kind === 'continue'
      ? next.note
      : next.kind === 'failed' && 'detail' in next.cause
        ? next.cause.detail
        : null
  if (text === null) expect(said).toBeNull()
  else expect(said).toMatch(text)
})

it('remembers that the report was asked for only if it was', () => {
  const asks = (change: Partial<FinishedTurn>) => {
    const next = afterTurn({ ...turn, mustReport: true, ...change })
    return next.kind === 'continue' && next.asksForReport
  }
  expect(asks({})).toBe(true)
  expect(asks({ calls: 1 })).toBe(false)
  expect(asks({ finishReason: 'length', truncatedAnswers: 1 })).toBe(false)
})
