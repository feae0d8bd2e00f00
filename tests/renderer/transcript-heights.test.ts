import { describe, expect, it } from 'vitest'
import { createTranscriptHeights } from '../../src/renderer/components/conversation/list/transcript-heights.ts'

describe('heights of a transcript', () => {
  it('estimates unmeasured heights by measured ones, and remembers these', () => {
    const heights = createTranscriptHeights()
    // Entries 950 to 1,250 of 10 px each: the whole stretches are 1,001 to 1,100 and 1,101 to 1,200.
    heights.remember(950, 1_250, (seq) => seq * 10)
    expect(heights.between(1, 1_000)).toBe(10_000)
    // Entries 2,001 to 2,100 are of 30 px.
    heights.remember(2_001, 2_100, (seq) => (seq - 2_001) * 30)
    expect(heights.between(2_001, 2_100)).toBe(3_000)
    expect(heights.between(1_001, 1_050)).toBe(500)
    expect(heights.between(1, 1_000)).toBeCloseTo((1_000 * (1_000 + 1_000 + 3_000)) / 300)
    expect(heights.between(5, 4)).toBe(0)
  })

  it('uses all of a short transcript', () => {
    const heights = createTranscriptHeights()
    heights.remember(1, 11, (seq) => seq * 25)
    expect(heights.between(1, 20)).toBe(500)
  })

  it('finds the entry at a height, as the inverse of the height before it', () => {
    const heights = createTranscriptHeights()
    heights.remember(301, 500, (seq) => seq * 17 + (seq > 400 ? 900 : 0))
    for (const seq of [1, 2, 99, 100, 101, 350, 400, 401, 499, 777, 999])
      expect(heights.seqAt(heights.between(1, seq - 1) + 1, 1, 1_000)).toBe(seq)
    expect(heights.seqAt(-5, 1, 1_000)).toBe(1)
    expect(heights.seqAt(1e9, 1, 1_000)).toBe(1_000)
    expect(heights.seqAt(1, 600, 500)).toBe(600)
  })
})
