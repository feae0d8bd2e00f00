import { describe, expect, it } from 'vitest'
import { cutText, stepThrough } from '../../src/renderer/components/conversation/rows/text-cut.ts'

const lines = (count: number) =>
  Array.from({ length: count }, (_, line) => `line ${line + 1}`).join('\n')

describe('the shown part of a long text', () => {
  it('is all of a text that is little longer than its beginning and end', () => {
    expect(cutText('', 0)).toBeNull()
    expect(cutText(lines(30), 0)).toBeNull()
    expect(cutText('x'.repeat(7_000), 0)).toBeNull()
  })
  it('is its beginning and end, then more, then all, with nothing lost in between', () => {
    const text = `${lines(5_000)}\n`
    const first = cutText(text, 0)
    expect(first?.head.split('\n')).toHaveLength(17)
    expect(first?.tail).toBe(
      'line 4993\nline 4994\nline 4995\nline 4996\nline 4997\nline 4998\nline 4999\nline 5000\n',
    )
    expect(first?.hiddenLines).toBe(5_000 - 16 - 8)
    expect(first?.next?.lines).toBe(400 - 16)
    for (const step of [0, 1, 2]) {
      const cut = cutText(text, step)
      expect(`${cut?.head}${cut?.middle}${cut?.tail}`).toBe(text)
    }
    expect(cutText(text, 1)).toMatchObject({
      hiddenLines: 5_000 - 400 - 8,
      next: { lines: 4_000 - 400 },
      allStep: null,
    })
    expect(cutText(text, 2)).toMatchObject({ next: null, allStep: 3 })
    expect(cutText(text, 3)).toBeNull()
  })
  it('is never more at once than can be laid out without a delay', () => {
    const text = 'a line of a log\n'.repeat(100_000)
    let step = 0
    let before = 0
    for (let cut = cutText(text, 0); cut; cut = cutText(text, step)) {
      expect(cut.head.split('\n').length - before).toBeLessThanOrEqual(4_001)
      before = cut.head.split('\n').length
      step = cut.allStep ?? step + 1
    }
    expect(step).toBe(1 + 100_000 / 4_000)
    const line = cutText('x'.repeat(1_000_000), 1)
    expect(line?.head).toHaveLength(40_000)
    expect(line).toMatchObject({ next: { lines: 1, chars: 360_000 }, allStep: null })
  })
  it('cuts a line that is too long', () => {
    const cut = cutText('x'.repeat(100_000), 0)
    expect(cut?.head).toHaveLength(4_000)
    expect(cut?.tail).toHaveLength(2_000)
    expect(cut?.hiddenLines).toBe(1)
  })
  it('offers a single step if the next one would leave almost nothing', () => {
    expect(cutText(lines(200), 0)?.next).toBeNull()
  })
})

describe('the step that shows a position', () => {
  it('is the first step whose beginning contains it', () => {
    const text = lines(5_000)
    expect(stepThrough(text, 10)).toBe(0)
    expect(stepThrough(text, text.indexOf('line 17'))).toBe(1)
    expect(stepThrough(text, text.indexOf('line 401'))).toBe(2)
    expect(stepThrough(text, text.length - 1)).toBe(3)
  })
  it('exists for a text without such a position', () => {
    expect(stepThrough('', 0)).toBe(0)
    expect(stepThrough(lines(500), 1_000_000)).toBe(2)
  })
  it('is the one that is said to show all', () => {
    for (const count of [100, 400, 410, 3_000, 4_010]) {
      const text = lines(count)
      const all = cutText(text, 0)?.allStep
      if (all === null || all === undefined) continue
      expect(cutText(text, all)).toBeNull()
      expect(all).toBeLessThanOrEqual(stepThrough(text, text.length - 1))
    }
  })
})

describe('the end of a step', () => {
  it('is after a whole line, unless one line is too long to be kept together', () => {
    const text = `${'x'.repeat(299)}\n`.repeat(3_000)
    for (const step of [0, 1, 2]) {
      const cut = cutText(text, step)
      expect(cut?.head.endsWith('\n')).toBe(true)
      expect(cut?.middle.endsWith('\n')).toBe(true)
      expect(cut?.tail.startsWith('x')).toBe(true)
    }
  })
  it('moves on with each step, however long the lines are', () => {
    for (const length of [1_000, 2_000, 2_001, 390_000, 700_000]) {
      const text = `${'x'.repeat(length - 1)}\n`.repeat(3_000_000 / length)
      let before = 0
      for (let step = 0, cut = cutText(text, 0); cut; cut = cutText(text, ++step)) {
        expect(cut.head.length).toBeGreaterThan(before)
        before = cut.head.length
      }
    }
  })
  it('is never within a character', () => {
    const cut = cutText(`a${'😀'.repeat(50_000)}`, 0)
    expect(cut?.head).toBe(`a${'😀'.repeat(1_999)}`)
    expect(cut?.tail).toBe('😀'.repeat(1_000))
  })
})
