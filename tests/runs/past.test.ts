/** What a run goes on from: answered by states, and the same as walking all entries of all sessions. */

import { describe, expect, it } from 'vitest'
import { recordedAttributions } from '../../src/main/runs/changes/recorded-attributions.ts'
import { historyOf } from '../../src/main/runs/past.ts'
import { foldSessionState } from '../../src/shared/projections/session/fold-session.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { parseEntry } from '../../src/shared/records/parse-entry.ts'
import { seed } from '../crash/effort.ts'
import { uuidOf } from '../fixtures/entries/ids.ts'
import fc from '../random.ts'
import { randomHistory } from '../shared/projections/random-history.ts'
import { allOf, historyIn, pastOf } from './past-of.ts'

const withoutForks = randomHistory.map((entries) =>
  entries.filter(({ type }) => type !== 'fork-start' && type !== 'fork-end'),
)

describe('[G9] the history that an agent is given', () => {
  it('answers for any sessions as a scan of all their entries does', async () => {
    const sessions = fc.array(withoutForks, { minLength: 1, maxLength: 3 })
    const property = fc.asyncProperty(sessions, async (given) => {
      const history = historyIn(...given)
      const all = given.flat()
      const lastCompleted = all.findLastIndex(isCompleteTurn)
      const completed = all.slice(0, lastCompleted + 1)
      expect(history.completedTurns).toBe(completed.filter(isCompleteTurn).length)
      const end = all.findLast(({ type }) => type === 'run-end')
      expect(history.failed).toBe(end?.type === 'run-end' && end.status === 'failed')
      const prompt = all.findLast((one) => one.type === 'message' && one.role === 'user')
      expect(await history.prompt()).toBe(prompt ?? null)
      const result = completed.findLast(({ type }) => type === 'tool-result')
      expect(await history.lastResult()).toBe(result ?? null)
      const unfinished = await allOf(history.entries('unfinished'))
      const whole = await allOf(history.entries())
      expect(unfinished).toEqual(whole.slice(whole.length - unfinished.length))
      // What is in both is what the log has after that turn, but for what was repaired.
      const after = all.slice(lastCompleted + 1)
      const kept = unfinished.filter((entry) => all.includes(entry))
      expect(kept.filter(isNeverRepaired)).toEqual(after.filter(isNeverRepaired))
    })
    await fc.assert(property, { seed, numRuns: 200 })
  })

  it('answers every call exactly once, after it and before it is made again', async () => {
    const property = fc.asyncProperty(randomHistory, async (entries) => {
      const open = new Map<string, number>()
      for (const entry of await allOf(historyIn(entries).entries())) {
        if (entry.type === 'tool-call') open.set(entry.callId, 0)
        if (entry.type === 'tool-result' && open.has(entry.callId))
          open.set(entry.callId, (open.get(entry.callId) ?? 0) + 1)
        if (isCompleteTurn(entry)) for (const [id, n] of open) if (n > 0) open.delete(id)
      }
      expect([...open.values()].filter((results) => results !== 1)).toEqual([])
    })
    await fc.assert(property, { seed, numRuns: 200 })
  })

  it('does not change after it was requested, although the session grows', async () => {
    const { entries, append } = growing()
    const past = pastOf(entries)
    const history = historyOf([past])
    append(past.state)
    expect(past.state.completed.turns).toBe(2)
    expect(history.completedTurns).toBe(1)
    expect(await history.prompt()).toMatchObject({ seq: 1 })
  })
})

const isCompleteTurn = (entry: Entry): boolean =>
  entry.type === 'message' && entry.role === 'assistant' && entry.status === 'complete'
const isNeverRepaired = ({ type }: Entry): boolean =>
  type !== 'message' && type !== 'tool-call' && type !== 'tool-result'

const entry = (seq: number, fields: object): Entry =>
  parseEntry({ v: 1, seq, at: seq, uuid: uuidOf(`${seq}`), parentUuid: null, ...fields })

function growing() {
  const message = (seq: number, role: string) =>
    entry(seq, {
      type: 'message',
      role,
      parts: [],
      cwd: '/w',
      timestamp: '2026-11-21T12:00:00.000Z',
      gitBranch: null,
      sessionId: uuidOf('s'),
      runId: `${uuidOf('s')}/1`,
      turn: role === 'user' ? null : seq,
      status: 'complete',
    })
  const entries = [message(1, 'user'), message(2, 'assistant')]
  return {
    entries,
    append(state: ReturnType<typeof pastOf>['state']) {
      for (const one of [message(3, 'user'), message(4, 'assistant')]) foldSessionState(state, one)
    },
  }
}

describe('who wrote what, as it was recorded last', () => {
  const hash = (digit: string) => digit.repeat(64)
  const written = (seq: number, path: string, after: string) =>
    entry(seq, {
      type: 'file-history-snapshot',
      messageUuid: uuidOf('m'),
      callId: 'c',
      path,
      before: null,
      after,
    })
  const attributed = (seq: number, files: object) =>
    entry(seq, { type: 'attribution-snapshot', messageUuid: uuidOf('m'), files })
  const said = { agentChars: 3, otherChars: 1, sha256: hash('a'), authors: [3, 1] }

  it('is found in the newest session that says it', async () => {
    const older = pastOf([attributed(1, { a: said, b: said })])
    const newer = pastOf([attributed(1, { a: { ...said, agentChars: 9 } })])
    const recorded = recordedAttributions([older, newer])
    expect(await recorded.of('a')).toMatchObject({ agentChars: 9 })
    expect(await recorded.of('b')).toEqual(said)
    expect([recorded.has('a'), recorded.has('c')]).toEqual([true, false])
    expect(await recorded.of('c')).toBeNull()
  })

  it('takes the content of an older record from the entry of the change', async () => {
    const { sha256: _, ...old } = said
    const past = pastOf([written(1, 'a', hash('1')), attributed(2, { a: old, b: old })])
    const recorded = recordedAttributions([past])
    expect(await recorded.of('a')).toMatchObject({ agentChars: 3, sha256: hash('1') })
    expect(await recorded.of('b')).toMatchObject({ agentChars: 3, sha256: null })
  })

  it('is unknown if it was recorded after the continued part, or can’t be read', async () => {
    const past = pastOf([attributed(1, { a: said })])
    expect(recordedAttributions([{ ...past, throughSeq: 0 }]).has('a')).toBe(false)
    expect(await recordedAttributions([{ ...past, entry: async () => null }]).of('a')).toBeNull()
  })
})
