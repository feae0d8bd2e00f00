import { describe, expect, it } from 'vitest'
import { feedBatchMax, ledgerFeedEventSchema } from '../../../src/shared/contract/feed.ts'
import { foldLedgerRecord } from '../../../src/shared/projections/ledger/fold-ledger.ts'
import { unknownClock } from '../../../src/shared/projections/ledger/ledger-clock.ts'
import {
  createSnapshotJoiner,
  snapshotParts,
} from '../../../src/shared/projections/ledger/ledger-snapshot.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../src/shared/projections/ledger/ledger-state.ts'
import { newProjectId, newTaskId } from '../../../src/shared/records/ids.ts'
import { taskCreated } from '../../ledger/histories.ts'

function stateWith(count: number, prompt = 'Do it'): LedgerState {
  const state = emptyLedgerState('/data')
  const project = newProjectId()
  const added = {
    type: 'project.added',
    projectId: project,
    name: 'api',
    dir: '/api',
    git: true,
  } as const
  foldLedgerRecord(state, { seq: 1, at: 1, event: added })
  for (let n = 0; n < count; n++)
    foldLedgerRecord(state, {
      seq: n + 2,
      at: n,
      event: { ...taskCreated(newTaskId(), project), prompt, title: `Task ${n}` },
    })
  return state
}

/** As a feed gives it: without what only the main process needs. */
const sent = (state: LedgerState): LedgerState => ({ ...state, clock: unknownClock })

describe('a snapshot in parts', () => {
  it.each([0, 1, feedBatchMax, feedBatchMax + 1, 1_017])(
    'is the state of %i tasks again, in their order, once the last part has come',
    (count) => {
      const state = stateWith(count)
      const parts = snapshotParts(state)
      expect(parts.length).toBe(Math.max(1, Math.ceil(count / feedBatchMax)))
      const joiner = createSnapshotJoiner()
      for (const part of parts.slice(0, -1)) expect(joiner.take(part)).toBeNull()
      const whole = joiner.take(parts.at(-1) ?? parts[0])
      expect(whole).toEqual(sent(state))
      expect([...(whole?.tasks.keys() ?? [])]).toEqual([...state.tasks.keys()])
    },
  )

  it('has no part that the contract refuses, and none much longer than one long prompt', () => {
    const parts = snapshotParts(stateWith(500, 'x'.repeat(10_000)))
    expect(parts.length).toBeGreaterThan(10)
    for (const part of parts) {
      expect(ledgerFeedEventSchema.safeParse(part).success).toBe(true)
      expect(JSON.stringify(part).length).toBeLessThan(400_000)
    }
  })

  it('is ignored if it is incomplete: the next one starts again', () => {
    const [first, second] = [stateWith(450), stateWith(300)]
    const joiner = createSnapshotJoiner()
    for (const part of snapshotParts(first).slice(0, 2)) joiner.take(part)
    const taken = snapshotParts(second).map((part) => joiner.take(part))
    expect(taken).toEqual([null, sent(second)])

    joiner.take(snapshotParts(first)[0])
    joiner.take({ type: 'records', records: [] })
    expect(
      snapshotParts(first)
        .slice(1)
        .map((part) => joiner.take(part)),
    ).toEqual([null, null])
  })
})
