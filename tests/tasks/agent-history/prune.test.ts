import { describe, expect, it } from 'vitest'
import { emptyHistory } from '../../../src/main/tasks/agent-history/format.ts'
import { pruneEntries } from '../../../src/main/tasks/agent-history/prune.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { testLedger } from './ledger-of.ts'
import { bringUpToDate, standing } from './up-to-date.ts'

describe('pruning', () => {
  const of = (status: string, n: number, over: object = {}) => ({
    agent_id: `${status}-${n}`,
    status,
    timestamp: new Date(n * 1000).toISOString(),
    completion_timestamp: new Date(n * 1000).toISOString(),
    ...over,
  })
  const many = (status: string, count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => of(status, from + n))

  it('[X2] removes the oldest completed agents first, regardless of their place in the file', () => {
    const entries = [...many('completed', 3, 100), ...many('completed', 3)]
    expect(pruneEntries(entries, 4)).toEqual([...many('completed', 3, 100), of('completed', 2)])
  })

  it('[X2] keeps agents that may need to be resumed, even beyond the limit', () => {
    const open = ['interrupted', 'queued', 'spawned', 'resumed', 'of-a-tool'].map((status) =>
      of(status, 0),
    )
    const entries = [...open, ...many('completed', 50, 10)]
    const kept = pruneEntries(entries, 50)
    expect(kept).toHaveLength(50)
    expect(kept.slice(0, 5)).toEqual(open)
    expect(pruneEntries(open, 2)).toEqual(open)
  })

  it('[X2] removes all entries of an agent, because a completed one would otherwise look interrupted', () => {
    const agent_id = 'twice'
    const entries = [
      of('interrupted', 1, { agent_id }),
      of('completed', 9),
      of('completed', 2, { agent_id }),
    ]
    expect(pruneEntries(entries, 2)).toEqual([of('completed', 9)])
  })

  it('[X2] removes failed ones only if no completed one is left, the oldest first', () => {
    const failed = many('failed', 60)
    const some = [...failed.slice(0, 30), ...many('completed', 25, 100)]
    expect(pruneEntries(some, 50)).toEqual([...failed.slice(0, 30), ...many('completed', 20, 105)])
    expect(pruneEntries([...failed, of('completed', 100)], 50)).toEqual(failed.slice(10))
  })

  it('[X2] restores nothing that it removed, and keeps the oldest agent if it is interrupted', () => {
    const ledger = testLedger()
    const oldest = ledger.ask()
    ledger.spawn(oldest)
    ledger.interrupt(oldest)
    let document = bringUpToDate(ledger, emptyHistory())
    const completed: TaskId[] = []
    for (let n = 0; n < 60; n++) {
      const agent = ledger.ask()
      ledger.spawn(agent)
      ledger.complete(agent)
      completed.push(agent)
      document = bringUpToDate(ledger, document)
    }
    expect(standing(document.entries)).toEqual([
      [oldest, 'interrupted'],
      ...completed.slice(-49).map((id) => [id, 'completed']),
    ])
    expect(bringUpToDate(ledger, document)).toEqual(document)
  })
})
