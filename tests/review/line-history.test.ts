import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { followLines, linesOf } from '../../src/main/review/line-history.ts'

const lines = (text: string) => text.split(' ').filter(Boolean)

function follow(base: string, steps: string[], anchors: [step: number, line: number][] = []) {
  return followLines({
    base: lines(base),
    steps: steps.map((text, author) => ({ author, lines: () => lines(text) })),
    anchors: anchors.map(([step, line]) => ({ step, line })),
    msMax: 10_000,
  })
}

describe('the lines of a file through its contents', () => {
  it('belong to the step that last wrote them, and removed ones to the step that removed them', async () => {
    expect(await follow('a b c', ['a B c', 'new a B c', 'new a BB c end'])).toMatchObject({
      written: [1, null, 2, null, 2],
      removed: [null, 0, null],
    })
    expect(await follow('', ['a b', ''])).toMatchObject({ written: [], removed: [] })
    expect(await follow('a b', ['', 'b'])).toMatchObject({ written: [1], removed: [0, 0] })
  })

  it('are found again as moved, as replaced, or not at all', async () => {
    const { anchors } = await follow(
      'a b c d',
      ['a b c d', 'x y a B c', 'x y a BB c'],
      [
        [-1, 0],
        [0, 1],
        [0, 3],
        [1, 3],
        [2, 4],
        [2, 9],
      ],
    )
    expect(anchors).toEqual([
      { line: 2, by: null },
      { line: 3, by: 1 },
      { line: null, by: 1 },
      { line: 3, by: 2 },
      { line: 4, by: null },
      { line: null, by: null },
    ])
  })

  it('are found again where two lines became one', async () => {
    const { anchors } = await follow(
      'a b c d',
      ['a bc d'],
      [
        [-1, 1],
        [-1, 2],
      ],
    )
    expect(anchors).toEqual([
      { line: 1, by: 0 },
      { line: 1, by: 0 },
    ])
  })

  it('are all attributed, even without time to compare', async () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '}'), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(text, { maxLength: 5 }),
        fc.constantFrom(0, 10_000),
        async (base, contents, msMax) => {
          const steps = contents.map((content, author) => ({ author, lines: () => content }))
          const anchors = base.map((_, line) => ({ step: -1, line }))
          const found = await followLines({ base, steps, anchors, msMax })
          const last = contents.at(-1) ?? base
          expect(found.written).toHaveLength(last.length)
          const kept = found.written.flatMap((by, at) => (by === null ? [last[at]] : []))
          expect(kept).toEqual(base.filter((_, at) => found.removed[at] === null))
          for (const [at, { line, by }] of found.anchors.entries())
            if (by === null) expect(last[line ?? -1]).toBe(base[at])
        },
      ),
    )
  })

  it('keep the common beginning and end of the contents at the time limit', async () => {
    const [base, content] = ['a b c d'.split(' '), 'a B x d'.split(' ')]
    const steps = [{ author: 0, lines: () => content }]
    expect(await followLines({ base, steps, anchors: [], msMax: 0 })).toMatchObject({
      written: [null, 0, 0, null],
      removed: [null, 0, 0, null],
    })
  })

  it('include their line breaks, so that a last line without one is another line', () => {
    expect(linesOf('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c'])
    expect(linesOf('')).toEqual([])
  })
})
