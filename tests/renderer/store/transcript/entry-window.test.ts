import { describe, expect, it } from 'vitest'
import {
  appendEntries,
  emptyWindow,
  firstSeqOf,
  lastSeqOf,
  prependEntries,
  windowEntriesMax,
  windowOf,
} from '../../../../src/renderer/store/transcript/entry-window.ts'
import type { Entry } from '../../../../src/shared/records/entries.ts'
import { newEntryId } from '../../../../src/shared/records/ids.ts'
import { entryVersion } from '../../../../src/shared/records/parse-entry.ts'
import { seed } from '../../../crash/effort.ts'
import fc from '../../../random.ts'
import { randomHistory } from '../../../shared/projections/random-history.ts'

const all: Entry[] = Array.from({ length: windowEntriesMax + 500 }, (_, index) => ({
  v: entryVersion,
  seq: index + 1,
  at: index,
  uuid: newEntryId(),
  parentUuid: null,
  type: 'summary',
  text: `entry ${index + 1}`,
}))
/** Entries `from` to `to`, both included. */
const span = (from: number, to: number): Entry[] => all.slice(from - 1, to)

describe('entry window', () => {
  it('grows at the end and skips entries that it has', () => {
    const window = appendEntries(windowOf(span(1, 3)), span(2, 5))
    expect(window && [firstSeqOf(window), lastSeqOf(window)]).toEqual([1, 5])
    expect(window?.fold.items).toHaveLength(5)
  })

  it('refuses entries that do not join on', () => {
    expect(appendEntries(windowOf(span(1, 3)), span(5, 6))).toBeNull()
  })

  it('can begin anywhere if it is empty', () => {
    const window = appendEntries(emptyWindow(), span(7, 9))
    expect(window && firstSeqOf(window)).toBe(7)
  })

  it('grows at the start, and folds to the same as reading all at once', () => {
    const window = prependEntries(windowOf(span(11, 20)), span(1, 12))
    expect(window.entries.map((entry) => entry.seq)).toEqual(span(1, 20).map((entry) => entry.seq))
    expect(window.fold.items).toEqual(windowOf(span(1, 20)).fold.items)
  })

  it('folds any history to the same in whatever order both ends grow', () => {
    const cuts = fc.tuple(fc.nat(60), fc.nat(60), fc.nat(60))
    fc.assert(
      fc.property(randomHistory, cuts, fc.nat(3), (history, unsorted, overlap) => {
        const [first, middle, last] = unsorted.toSorted((a, b) => a - b) as [number, number, number]
        const begun = windowOf(history.slice(middle, last))
        const older = prependEntries(begun, history.slice(first, middle + overlap))
        // An empty window joins anything on.
        fc.pre(older.entries.length > 0 || first === 0)
        const grown = appendEntries(older, history.slice(last)) ?? emptyWindow()
        const whole = prependEntries(grown, history.slice(0, first + overlap))
        expect(whole).toEqual(windowOf(history))
      }),
      { seed, numRuns: 300 },
    )
  })

  it('stays bounded at both ends', () => {
    const tail = appendEntries(
      windowOf(span(1, windowEntriesMax)),
      span(windowEntriesMax + 1, all.length),
    )
    expect(tail?.entries.length).toBeLessThanOrEqual(windowEntriesMax)
    expect(tail && lastSeqOf(tail)).toBe(all.length)
    const head = prependEntries(windowOf(span(501, all.length)), span(1, 500))
    expect(head.entries.length).toBe(windowEntriesMax)
    expect(firstSeqOf(head)).toBe(1)
  })
})
