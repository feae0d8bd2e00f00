import { expect, it } from 'vitest'
import {
  addEarlierState,
  earlierStateAt,
  earlierStatesEvery,
  earlierStatesMax,
} from '../../src/main/sessions/earlier-states.ts'
import {
  type BriefState,
  briefOf,
  foldFromBrief,
} from '../../src/shared/projections/session/brief-state.ts'
import { foldSessionState } from '../../src/shared/projections/session/fold-session.ts'
import { emptySessionState } from '../../src/shared/projections/session/session-state.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newTaskId, runIdOf } from '../../src/shared/records/ids.ts'
import { parseEntry } from '../../src/shared/records/parse-entry.ts'
import { seed } from '../crash/effort.ts'
import { uuidOf } from '../fixtures/entries/ids.ts'
import fc from '../random.ts'
import { randomHistory } from '../shared/projections/random-history.ts'

it('[G9] folds to the same from a stored state anywhere in any history', () => {
  const property = fc.property(randomHistory, fc.nat(60), (entries, at) => {
    const before = briefOf(entries.slice(0, at).reduce(foldSessionState, emptySessionState()))
    const kept = structuredClone(before)
    const whole = entries.reduce(foldSessionState, emptySessionState())
    expect(foldFromBrief(before, entries.slice(at))).toEqual(briefOf(whole))
    expect(before).toEqual(kept)
  })
  fc.assert(property, { seed, numRuns: 200 })
})

it('[I5] continues within a fork as the whole fold does', () => {
  const [begin, start, end] = ['fork-start', 'run-start', 'fork-end'].map((type, index) =>
    parseEntry({
      v: 1,
      seq: index + 1,
      at: 1,
      parentUuid: null,
      uuid: uuidOf(`entry ${index}`),
      type,
      forkId: uuidOf('fork'),
      runId: runIdOf(newTaskId(), 1),
      run: 1,
      reason: 'prompt',
      agent: 'lead',
      model: 'model-1',
    }),
  ) as [Entry, Entry, Entry]
  const inFork = foldFromBrief(null, [begin])
  expect(foldFromBrief(inFork, [start, end]).run).toBeNull()
})

it('keeps a bounded number of states, evenly spread over a session of any length', () => {
  const earlier: BriefState[] = []
  const last = earlierStatesEvery * earlierStatesMax * 5
  const state = emptySessionState()
  for (; state.seq < last; state.seq++) addEarlierState(earlier, state)
  expect(earlier.length).toBeLessThanOrEqual(earlierStatesMax)
  const seqs = [0, ...earlier.map(({ seq }) => seq), last]
  const gaps = seqs.slice(1).map((seq, index) => seq - (seqs[index] ?? 0))
  // The distance doubles when every second state is removed, and once more before the next removal.
  expect(Math.max(...gaps)).toBeLessThanOrEqual((4 * last) / earlierStatesMax)
})

it('finds the nearest state that is not after an entry', () => {
  const earlier = [500, 1_000].map((seq) => briefOf({ ...emptySessionState(), seq }))
  expect([499, 500, 999, 1_000, 2_000].map((seq) => earlierStateAt(earlier, seq)?.seq)).toEqual([
    undefined,
    500,
    500,
    1_000,
    1_000,
  ])
})
