import { describe, expect, it } from 'vitest'
import { emptyHistory, type HistoryEntry } from '../../../src/main/tasks/agent-history/format.ts'
import { testLedger } from './ledger-of.ts'
import { bringUpToDate, parsed, standing } from './up-to-date.ts'

describe('merging with the file', () => {
  it('keeps unknown fields and entries in their places', () => {
    const ledger = testLedger()
    const agent = ledger.ask({ title: 'Ours' })
    const theirs = { agent_id: 'agent_01', status: 'spawned', notes: ['theirs'] }
    const file = parsed({
      $schema: 'x',
      version: '1.2',
      max_entries: 20,
      owner: { name: 'a tool' },
      entries: [
        theirs,
        { agent_id: agent, status: 'queued', stars: 5 },
        'not even an object',
        null,
      ],
    })
    ledger.spawn(agent)
    const merged = bringUpToDate(ledger, file)
    expect(merged).toMatchObject({ $schema: 'x', max_entries: 20, owner: { name: 'a tool' } })
    expect(merged.entries).toEqual([
      theirs,
      expect.objectContaining({
        agent_id: agent,
        status: 'spawned',
        stars: 5,
        task_description: 'Ours',
      }),
      'not even an object',
      null,
    ])
  })

  it('keeps what other tools added to an entry; the status comes from the ledger', () => {
    const ledger = testLedger()
    const agent = ledger.ask({ title: 'Ours', plan: { phase: '02', taskResults: { a: 1 } } })
    ledger.spawn(agent)
    const document = bringUpToDate(ledger, emptyHistory())
    const edited = {
      task_description: 'Ours, in better words',
      plan: '07',
      segment: 3,
      files_modified: ['seen.txt'],
      task_results: { a: 1, theirs: true },
      parallel_group: 'phase-02-batch-1',
      execution_mode: 'parallel',
    }
    const entry = { ...(document.entries[0] as HistoryEntry), ...edited, status: 'failed' }
    ledger.complete(agent)
    expect(bringUpToDate(ledger, { ...document, entries: [entry] }).entries).toEqual([
      expect.objectContaining({ ...edited, phase: '02', status: 'completed' }),
    ])
  })

  it('restores removed entries, an earlier attempt before the later one', () => {
    const ledger = testLedger()
    const agent = ledger.ask()
    ledger.spawn(agent)
    ledger.interrupt(agent)
    const other = ledger.ask()
    ledger.resume(agent)
    const whole = bringUpToDate(ledger, emptyHistory())
    expect(standing(whole.entries)).toEqual([
      [agent, 'interrupted'],
      [other, 'queued'],
      [agent, 'resumed'],
    ])
    const [, ...cut] = whole.entries
    const mended = bringUpToDate(ledger, { ...whole, entries: cut })
    expect(standing(mended.entries)).toEqual([
      [other, 'queued'],
      [agent, 'interrupted'],
      [agent, 'resumed'],
    ])
    expect(mended.entries[2]).toEqual(whole.entries[2])
  })

  it('updates a file that is older than the stored copy of the newest', () => {
    const ledger = testLedger()
    const old = ledger.ask()
    ledger.spawn(old)
    const backup = bringUpToDate(ledger, emptyHistory())
    ledger.complete(old)
    for (let n = 0; n < 60; n++) {
      const agent = ledger.ask()
      ledger.spawn(agent)
      ledger.complete(agent)
    }
    const entries = bringUpToDate(ledger, { ...backup, max_entries: 100 }).entries
    expect(entries).toHaveLength(61)
    expect(entries[0]).toMatchObject({ agent_id: old, status: 'completed' })
  })
})
