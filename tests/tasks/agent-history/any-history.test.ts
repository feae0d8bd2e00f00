import { describe, expect, it } from 'vitest'
import {
  emptyHistory,
  type HistoryDocument,
  type HistoryEntry,
} from '../../../src/main/tasks/agent-history/format.ts'
import { transitionFor } from '../../../src/main/tasks/state/lifecycle.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import fc from '../../random.ts'
import { type TestLedger, testLedger } from './ledger-of.ts'
import { bringUpToDate, parsed } from './up-to-date.ts'

describe('any history', () => {
  const step = fc.record({
    agent: fc.nat(5),
    event: fc.constantFrom<LedgerEvent['type'] | 'ask' | 'write'>(
      ...(['ask', 'ask', 'write', 'task.spawned', 'task.spawned', 'task.resumed'] as const),
      ...(['task.completed', 'task.completed', 'task.interrupted', 'task.failed'] as const),
      ...(['task.blocked', 'task.requeued', 'task.cancelled', 'task.abandoned'] as const),
    ),
  })

  it('[X2][T] keeps each agent that may need to be resumed, and one current entry for each', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 120 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, max) => {
          const ledger = testLedger()
          const agents: TaskId[] = []
          let document: HistoryDocument = { ...emptyHistory(), max_entries: max }
          for (const { agent, event } of steps) {
            const taskId = agents[agents.length - 1 - agent]
            if (event === 'write') document = bringUpToDate(ledger, document)
            else if (event === 'ask') agents.push(ledger.ask())
            else if (taskId) move(ledger, taskId, event)
          }
          document = bringUpToDate(ledger, document)
          check(ledger, document, max)
          // Written rarely or often, read back or not: the same.
          expect(bringUpToDate(ledger, parsed(document))).toEqual(document)
        },
      ),
      { numRuns: 300 },
    )
  })

  /** What the lifecycle does not allow does not happen. */
  function move(ledger: TestLedger, taskId: TaskId, type: LedgerEvent['type']): void {
    const task = ledger.state.tasks.get(taskId)
    if (!task || !transitionFor(task, type)) return
    if (type === 'task.spawned') ledger.spawn(taskId)
    else if (type === 'task.resumed') ledger.resume(taskId)
    else if (type === 'task.completed') ledger.complete(taskId)
    else if (type === 'task.interrupted') ledger.interrupt(taskId)
    else if (type === 'task.failed') ledger.fail(taskId)
    else ledger.happen({ type, taskId, reason: 'because' } as LedgerEvent)
  }

  function check(ledger: TestLedger, document: HistoryDocument, max: number): void {
    const entries = document.entries as HistoryEntry[]
    const byAgent = Map.groupBy(entries, (entry) => entry.agent_id)
    const mayGoOn = (status: string) => !['completed', 'failed'].includes(status)
    for (const task of ledger.state.tasks.values()) {
      const own = byAgent.get(task.id)
      if (['queued', 'blocked', 'spawned', 'resumed', 'interrupted'].includes(task.status))
        expect(own, `${task.status} was dropped`).toBeDefined()
      // Every life but the latest ended in an interruption, and none is missing.
      const before = own?.slice(0, -1) ?? []
      expect(before.every(({ status }) => status === 'interrupted')).toBe(true)
      if (own) {
        const wentOn = task.runs.slice(0, -1).filter(({ status }) => status === 'interrupted')
        expect(before).toHaveLength(wentOn.length)
      }
    }
    const ended = [...byAgent.values()].filter((own) => !mayGoOn(own.at(-1)?.status ?? ''))
    if (entries.length > max) expect(ended).toEqual([])
  }
})
