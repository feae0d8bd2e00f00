import { describe, expect, it } from 'vitest'
import { createLineStream } from '../../../src/main/hosts/cli/follow/line-stream.ts'
import { createOutput, type Output } from '../../../src/main/hosts/cli/terminal/output.ts'
import { safeLine, safeText } from '../../../src/main/hosts/cli/terminal/safe-text.ts'
import { renderTable } from '../../../src/main/hosts/cli/terminal/table.ts'
import { padEnd, textWidth, truncate } from '../../../src/main/hosts/cli/terminal/text-width.ts'
import { ago, elapsed } from '../../../src/main/hosts/cli/terminal/wording.ts'

const streamOf = (isTTY: boolean, failure?: Error) => {
  const texts: string[] = []
  const stream = {
    isTTY,
    columns: 40,
    on() {},
    write(text: string, done: (error?: Error) => void) {
      texts.push(text)
      done(failure)
    },
  }
  return { stream: stream as never, texts }
}
const outputOf = (isTTY: boolean, env = {}): Output => createOutput(streamOf(isTTY).stream, env)

describe('output', () => {
  it('has colours on a terminal, and not with NO_COLOR, a dumb terminal or a pipe', () => {
    expect(outputOf(true).style('red', 'x')).toBe('\x1b[31mx\x1b[39m')
    expect(outputOf(true, { NO_COLOR: '1' }).style('red', 'x')).toBe('x')
    expect(outputOf(true, { TERM: 'dumb' }).style('red', 'x')).toBe('x')
    expect(outputOf(false).style('red', 'x')).toBe('x')
  })

  it('stops printing when its reader is closed', async () => {
    const { stream, texts } = streamOf(false, Object.assign(new Error(), { code: 'EPIPE' }))
    const output = createOutput(stream, {})
    await output.write('one')
    await output.write('two')
    expect(output.closed).toBe(true)
    expect(texts).toEqual(['one'])
  })

  it('passes any other failure to its caller', async () => {
    const full = Object.assign(new Error('disk full'), { code: 'ENOSPC' })
    const output = createOutput(streamOf(false, full).stream, {})
    await expect(output.write('one')).rejects.toBe(full)
  })
})

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['\x1b[31mred\x1b[39m', 3],
    ['❚❚ x', 4],
    ['⚠️', 2],
    ['❤️', 2],
    ['1️⃣', 2],
  ])('%j takes %i columns', (text, width) => expect(textWidth(text)).toBe(width))

  it('shortens between characters, with a mark', () => {
    expect(truncate('日本語', 6)).toBe('日本語')
    expect(truncate('日本語', 5)).toBe('日本…')
    expect(truncate('日本語', 4)).toBe('日…')
    expect(padEnd('日', 4)).toBe('日  ')
  })
})

describe('a table', () => {
  const columns = [
    { title: 'ID' },
    { title: 'TITLE', shrinks: true },
    { title: 'N', align: 'right' as const },
  ]
  const rows = [
    ['a', 'short', '1'],
    ['bb', 'a title that is much longer than there is room for', '22'],
  ]

  it('aligns its columns on a terminal', () => {
    const short = [
      ['a', 'short', '1'],
      ['bb', 'a longer title', '22'],
    ]
    expect(renderTable(columns, short, outputOf(true, { NO_COLOR: '1' }))).toBe(
      ['ID  TITLE            N', 'a   short            1', 'bb  a longer title  22', ''].join('\n'),
    )
  })

  it('neither pads nor shortens in a pipe', () => {
    const noted = [...rows, { note: 'it waits', under: 1, lead: '│ ' }]
    expect(renderTable(columns, noted, outputOf(false))).toBe(
      [
        'ID  TITLE  N',
        'a  short  1',
        'bb  a title that is much longer than there is room for  22',
        '  │ it waits',
        '',
      ].join('\n'),
    )
  })

  it('keeps to the width of a terminal', () => {
    const lines = renderTable(columns, rows, outputOf(true, { NO_COLOR: '1' }))
      .trimEnd()
      .split('\n')
    expect(lines.map(textWidth)).toEqual([40, 40, 40])
    expect(lines[2]).toContain('…  22')
  })

  it('omits an empty column', () => {
    expect(renderTable(columns, [['a', '', '1']], outputOf(false))).toBe('ID  N\na  1\n')
  })
})

describe('text that agents wrote', () => {
  it('[V4] escapes control sequences of the terminal, and loses nothing', () => {
    expect(safeText('a\x1b[2Jb\x1b]0;title\x07c\x9b31md\r\ne\tf\u202eg')).toBe(
      'a␛[2Jb␛]0;title␇c<U+009B>31md\ne\tf<U+202E>g',
    )
    expect(safeLine(' two\n lines\x1b[0m ')).toBe('two lines␛[0m')
  })
})

describe('streamed text', () => {
  it('is printed in whole lines', () => {
    const lines = createLineStream(20)
    expect(lines.add('one')).toEqual([])
    expect(lines.add(' line\nand')).toEqual(['one line'])
    expect(lines.add(' a longer one that wraps')).toEqual(['and a longer one'])
    expect(lines.flush()).toEqual(['that wraps'])
    expect(lines.flush()).toEqual([])
  })

  it('keeps a long word whole, because it may be a path to copy', () => {
    const word = '/a/very/long/path/to/a/file'
    expect(createLineStream(10).add(`see ${word} now\n`)).toEqual(['see', word, 'now'])
  })
})

describe('times', () => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  it.each([
    ['2026-11-21T09:59:59.500Z', 'just now'],
    ['2026-11-21T09:48:00Z', '12m ago'],
    ['2026-11-18T10:00:00Z', '3d ago'],
    ['2026-11-21T10:00:30Z', 'just now'],
    [null, ''],
  ])('%s was %s', (at, text) => expect(ago(at, now)).toBe(text))

  it('states how long something took, or has lasted', () => {
    expect(elapsed('2026-11-21T09:00:00Z', '2026-11-21T09:00:04.200Z', now)).toBe('4.2s')
    expect(elapsed('2026-11-21T09:56:40Z', null, now)).toBe('3m 20s')
    expect(elapsed(null, null, now)).toBe('')
  })
})
