import { describe, expect, it } from 'vitest'
import { parseHistory } from '../../../src/main/tasks/agent-history/format.ts'
import { parsed } from './up-to-date.ts'

describe('versions of the file', () => {
  const entry = {
    agent_id: 'agent_01',
    task_description: 'Theirs',
    phase: '01',
    plan: '02',
    segment: null,
    timestamp: '2025-01-15T10:30:00Z',
    status: 'completed',
    completion_timestamp: '2025-01-15T11:00:00Z',
  }

  it('reads 1.0 and 1.1, and adds later fields', () => {
    const one = parsed({ version: '1.0', max_entries: 50, entries: [entry] })
    expect(one).toEqual({
      version: '1.2',
      max_entries: 50,
      entries: [
        {
          ...entry,
          execution_mode: 'sequential',
          parallel_group: null,
          granularity: null,
          depends_on: null,
          files_modified: null,
          checkpoints_skipped: null,
          task_results: null,
        },
      ],
    })
    const batch = { ...entry, execution_mode: 'parallel', parallel_group: 'phase-01-batch-1' }
    const second = parsed({ version: '1.1', max_entries: 50, entries: [batch, 'rubbish'] })
    expect(second.entries).toEqual([
      { ...batch, files_modified: null, checkpoints_skipped: null, task_results: null },
      'rubbish',
    ])
  })

  it('accepts a version that is a number, and only a valid limit', () => {
    expect(parsed({ version: 1, entries: [entry] })).toMatchObject({
      version: '1.2',
      max_entries: 50,
    })
    for (const [given, taken] of [
      [7, 7],
      [0, 50],
      [-3, 50],
      ['12', 50],
      [1.5, 50],
      [1e9, 50],
    ]) {
      expect(parsed({ version: '1.2', max_entries: given, entries: [] }).max_entries).toBe(taken)
    }
  })

  it('distinguishes a newer version from a file that is not a history', () => {
    expect(parseHistory('{"version":"1.10","entries":[]}')).toEqual({
      kind: 'newer',
      version: '1.10',
    })
    expect(parseHistory('{"version":"2.0"}')).toMatchObject({ kind: 'newer' })
    for (const text of [
      '',
      'null',
      '[]',
      '"1.2"',
      '{"entries":[]}',
      '{"version":"1.2"}',
      '{"version":"1.2","entries":{}}',
      '{"version":"0.9","entries":[]}',
      '{"version":"latest","entries":[]}',
      '{"version":"1.2","entries":[',
    ]) {
      expect(parseHistory(text).kind, text).toBe('damaged')
    }
    expect(parseHistory('\uFEFF{"version":"1.2","entries":[]}').kind).toBe('ok')
  })
})
