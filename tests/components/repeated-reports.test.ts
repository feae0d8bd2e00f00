import { describe, expect, it } from 'vitest'
import {
  awaitedKey,
  repeatedReports,
} from '../../src/renderer/components/conversation/repeated-reports.ts'
import type { Row } from '../../src/renderer/components/conversation/rows.ts'
import type { ToolCallId } from '../../src/shared/ids.ts'
import type { AwaitedTask } from '../../src/shared/tools.ts'
import { taskId } from '../fixtures/entries/ids.ts'

const helper = taskId('helper')

/** `said`: the report that it was told, null for none. */
function told(name: string, callId: string, said: string | null): Row {
  const result: AwaitedTask = {
    taskId: helper,
    title: 'Help along',
    agent: 'helper',
    status: 'completed',
    cause: null,
    report: said === null ? null : { run: 1, title: 'Helped', markdown: said },
  }
  return {
    kind: 'call',
    key: callId,
    seq: 1,
    call: {
      callId: callId as ToolCallId,
      name,
      input: {},
      state: 'ok',
      output: '',
      detail: { kind: 'tasks', tasks: [result] },
      startedAt: null,
      durationMs: 1,
    },
  }
}
const first = awaitedKey('first', helper)
const second = awaitedKey('second', helper)

describe('repeated reports', () => {
  it('are those of a task that has a card of its own, where it is the newest', () => {
    const rows = [told('task', 'made', null), told('task_await', 'first', 'Done.')]
    expect([...repeatedReports(rows)]).toEqual([[first, 'newest']])
  })

  it('are those that an earlier card was told word for word', () => {
    const rows = [
      told('task_await', 'first', 'Done.'),
      told('task_await', 'second', 'Done.'),
      told('task_await', 'third', 'Done otherwise.'),
    ]
    expect([...repeatedReports(rows)]).toEqual([[second, 'always']])
    expect([...repeatedReports([told('task', 'made', 'Done.'), ...rows.slice(0, 1)])]).toEqual([
      [first, 'always'],
    ])
  })

  it('are none where the earlier part is not loaded', () => {
    expect(repeatedReports([told('task_await', 'first', 'Done.')]).size).toBe(0)
  })
})
