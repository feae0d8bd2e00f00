import { expect, it } from 'vitest'
import { scrollMarks } from '../../src/renderer/components/conversation/list/scroll-marks.tsx'

/** 1,000 entries of 10 px, of which 401 to 500 are loaded and 20 px high each. */
const laid = {
  heights: { between: (first: number, last: number) => Math.max(0, last - first + 1) * 10 },
  seqs: [],
  firstSeq: 401,
  lastSeq: 500,
  loadedPx: 2_000,
  startOf: (seq: number) => (seq - 401) * 20,
  railPx: 1_100,
  pxPerRailPx: 10,
}

it('places matches before, in and after the loaded part, and draws adjacent ones once', () => {
  const found = { seqs: [1, 2, 11, 401, 411, 500, 501, 1_000], current: 501 }
  expect(scrollMarks(found, laid)).toEqual({
    tops: [0, 10, 400, 420, 598, 600, 1_098],
    current: 600,
  })
})

it('draws at most as many marks as fit on the bar', () => {
  const seqs = Array.from({ length: 50_000 }, (_, index) => index + 1)
  const { tops } = scrollMarks({ seqs, current: null }, { ...laid, pxPerRailPx: 500 })
  expect(tops.length).toBeLessThanOrEqual(laid.railPx / 2)
})
