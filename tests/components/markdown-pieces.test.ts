import { describe, expect, it } from 'vitest'
import { markdownPieces } from '../../src/renderer/components/text/markdown-pieces.ts'
import fc from '../random.ts'

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

describe('markdownPieces', () => {
  it('does not cut a text that is not much longer than a piece', () => {
    expect(markdownPieces('a\n\nb', 4)).toEqual(['a\n\nb'])
    expect(markdownPieces('', 4)).toEqual([''])
  })

  it('cuts between blocks', () => {
    const text = lines(90, (index) => `## Part ${index}\n\nIt is done.\n`)
    const pieces = markdownPieces(text, 100)
    expect(pieces.length).toBeGreaterThan(4)
    expect(pieces.join('')).toBe(text)
    for (const piece of pieces) expect(piece).toMatch(/^## Part/)
  })

  it('cuts a long list between its items, and within an item only if necessary', () => {
    const pieces = markdownPieces(
      lines(150, (index) => `${index + 1}. one\n   and more`),
      100,
    )
    expect(pieces.length).toBeGreaterThan(5)
    for (const piece of pieces) expect(piece).toMatch(/^\d+\. one/)
  })

  it('continues with a fence and with a table in the next piece', () => {
    const code = lines(150, (index) => `  call(${index})`)
    const fenced = markdownPieces(`\`\`\`ts\n${code}\n\`\`\``, 100)
    expect(fenced.length).toBeGreaterThan(3)
    for (const piece of fenced) expect(piece).toMatch(/^```ts\n[\s\S]*\n```\n*$/)

    const rows = lines(150, (index) => `| ${index} | ok |`)
    const table = markdownPieces(`| case | result |\n|---|:-:|\n${rows}`, 100)
    expect(table.length).toBeGreaterThan(3)
    for (const piece of table) expect(piece.startsWith('| case | result |\n|---|:-:|\n')).toBe(true)
  })

  it('makes no piece much longer than asked, and loses nothing, whatever the text', () => {
    const line = fc.oneof(
      fc.constantFrom('', '```', '~~~~', '| a | b |', '|---|---|', '- item', '    deep'),
      fc.string({ maxLength: 400 }).map((text) => text.replaceAll('\n', ' ')),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (all) => {
        const text = all.join('\n')
        const pieces = markdownPieces(text, 100)
        // A line of its own, and what a fence or a table repeats, come on top.
        for (const piece of pieces) expect(piece.length).toBeLessThan(300 * 4)
        let at = 0
        const joined = pieces.join('').replaceAll('\n', '')
        for (const letter of text.replaceAll('\n', '')) {
          at = joined.indexOf(letter, at) + 1
          expect(at).toBeGreaterThan(0)
        }
      }),
    )
  })
})
