import { expect, it } from 'vitest'
import { createOffsetIndex, type RecordPlace } from '../../src/main/journal/offsets.ts'
import { createColumn } from '../../src/shared/collections/number-column.ts'
import fc from '../random.ts'

const fingerprints = fc.integer({ min: 0, max: 2 ** 48 - 1 })

it('[J8] finds each record, added in any order', () => {
  const places = fc.uniqueArray(
    fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 2 ** 28 }), fingerprints),
    { selector: ([seq]) => seq, maxLength: 200 },
  )
  fc.assert(
    fc.property(places, fc.boolean(), (given, isSorted) => {
      const added = isSorted ? given.toSorted(([a], [b]) => a - b) : given
      let offset = 0
      const all = added.map(([seq, length, fingerprint]): RecordPlace => {
        const start = offset
        offset += length + 1
        return { seq, start, end: start + length, fingerprint }
      })
      const index = createOffsetIndex()
      for (const place of all) index.add(place)
      const sorted = all.toSorted((a, b) => a.seq - b.seq)
      expect(Array.from({ length: index.count }, (_, at) => index.at(at))).toEqual(sorted)
      expect(index.at(index.count)).toBeUndefined()
      for (let seq = 0; seq <= 401; seq++) {
        expect(index.has(seq)).toBe(sorted.some((place) => place.seq === seq))
        const first = sorted.findIndex((place) => place.seq >= seq)
        expect(index.ordinalFrom(seq)).toBe(first === -1 ? sorted.length : first)
      }
      const [known] = all
      if (known) expect(() => index.add(known)).toThrow('in the index already')
    }),
    { numRuns: 100 },
  )
})

it('continues from known places, with and without a gap', () => {
  const known = {
    starts: Float64Array.of(0, 11),
    lengths: Uint32Array.of(10, 20),
    lowBits: Uint32Array.of(7, 2 ** 32 - 1),
    highBits: Uint16Array.of(1, 2 ** 16 - 1),
  }
  const index = createOffsetIndex(known)
  expect(index.at(1)).toEqual({ seq: 2, start: 11, end: 31, fingerprint: 2 ** 48 - 1 })
  index.add({ seq: 3, start: 32, end: 40, fingerprint: 2 ** 32 })
  index.add({ seq: 9, start: 41, end: 50, fingerprint: 0 })
  expect([index.has(3), index.has(4), index.ordinalFrom(4)]).toEqual([true, false, 3])
  expect(index.at(2)).toEqual({ seq: 3, start: 32, end: 40, fingerprint: 2 ** 32 })
})

it('keeps the numbers of a column as it grows past a chunk', () => {
  for (const known of [undefined, Int32Array.of(0, 3, 6)]) {
    const column = createColumn((length) => new Int32Array(length), known)
    for (let at = column.length; at < 20_000; at++) column.push(3 * at)
    column.set(1, -1)
    column.set(19_999, -2)
    expect([0, 1, 63, 64, 4_095, 4_096, 4_099, 19_998].map((at) => column.at(at))).toEqual([
      ...[0, -1, 189, 192, 12_285, 12_288, 12_297, 59_994],
    ])
    expect([column.at(19_999), column.at(20_000), column.length]).toEqual([-2, 0, 20_000])
  }
})
