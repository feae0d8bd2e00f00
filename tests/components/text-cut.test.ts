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
    expect(first?.nextLines).toBe(400 - 16)
    for (const step of [0, 1] as const) {
      const cut = cutText(text, step)
      expect(`${cut?.head}${cut?.middle}${cut?.tail}`).toBe(text)
    }
    expect(cutText(text, 1)).toMatchObject({ hiddenLines: 5_000 - 400 - 8, nextLines: null })
    expect(cutText(text, 2)).toBeNull()
  })
  it('cuts a line that is too long', () => {
    const cut = cutText('x'.repeat(100_000), 0)
    expect(cut?.head).toHaveLength(4_000)
    expect(cut?.tail).toHaveLength(2_000)
    expect(cut?.hiddenLines).toBe(1)
  })
  it('offers a single step if the next one would leave almost nothing', () => {
    expect(cutText(lines(200), 0)?.nextLines).toBeNull()
  })
})

describe('the step that shows a position', () => {
  it('is the first step whose beginning contains it', () => {
    const text = lines(5_000)
    expect(stepThrough(text, 10)).toBe(0)
    expect(stepThrough(text, text.indexOf('line 17'))).toBe(1)
    expect(stepThrough(text, text.indexOf('line 401'))).toBe(2)
    expect(stepThrough(text, text.length - 1)).toBe(2)
  })
})
