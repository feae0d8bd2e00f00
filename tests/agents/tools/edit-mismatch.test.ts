import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

async function refusal(file: string, oldText: string, newText = 'new text'): Promise<string> {
  await writeFile(join(bench.dir, 'a.ts'), file)
  const result = await bench.call('edit_file', { path: 'a.ts', oldText, newText })
  expect(result.outcome).toBe('error')
  return result.output
}

it('shows lines that differ in spaces only, and that the file indents with tabs', async () => {
  expect(await refusal('a\nif (x) {\n\tgo()\n}\n', 'if (x) {\n  go()\n}')).toBe(
    [
      'oldText: does not occur in a.ts. Lines 2-4 differ from it only in spaces, tabs or blanks at line ends (the file indents with tabs). The file has:',
      '2\tif (x) {',
      '3\t\tgo()',
      '4\t}',
      'Copy these lines without the numbers.',
    ].join('\n'),
  )
  expect(await refusal('one \none \n', 'one\none ')).toContain('only in spaces')
})

it('shows the nearest lines with their numbers', async () => {
  const file = 'import a\n\nexport function total(items) {\n  return sum(items)\n}\n'
  expect(await refusal(file, 'function total(item) {\n  return sum(item)')).toBe(
    [
      'oldText: does not occur in a.ts. Nearest are lines 3-4:',
      '3\texport function total(items) {',
      '4\t  return sum(items)',
      'Copy these lines without the numbers, or read the file again.',
    ].join('\n'),
  )
  expect(await refusal('const port = 80\n', 'const port = 8080')).toContain('1\tconst port = 80')
})

it('shows only a part of long nearest lines', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `  row number ${index}`)
  const said = await refusal(lines.join('\n'), [...lines.slice(0, 59), '  row?'].join('\n'))
  expect(said).toContain('40\t  row number 39\n[20 lines more]')
})

it('names no place when nothing is similar', async () => {
  expect(await refusal('one\ntwo\n', 'function entirelyDifferent() {}')).toContain(
    'Nothing in it is similar',
  )
  expect(await refusal('', 'x')).toContain('The file is empty')
  expect(await refusal('one\n', '\n\n\n')).toContain('Nothing in it is similar')
})

it('recognises the line numbers of read_file, and other line ends', async () => {
  expect(await refusal('one\ntwo\n', '1\tone\n2\ttwo')).toContain('line numbers of read_file')
  expect(await refusal('one\r\ntwo\r\n', 'one\ntwo')).toContain(
    'the file ends lines with \\r\\n, oldText with \\n',
  )
  expect(await refusal('one\ntwo\n', 'one\r\ntwo')).toContain('oldText with \\r\\n')
})

it('reports that the change was already made', async () => {
  expect(await refusal('a\nconst port = 8080\n', 'const port = 9', 'const port = 8080')).toContain(
    'newText is there already, at line 2',
  )
})

it('names the lines of several matches', async () => {
  expect(await refusal('x\ny\nx\n', 'x')).toContain('occurs 2 times in a.ts, at lines 1, 3.')
  expect(await refusal('x\n'.repeat(30), 'x')).toContain('and 20 more')
})

it('[K3] masks known secrets in the nearest lines', async () => {
  bench.secrets.learn([{ name: 'KEY', value: 'sk-live-0123456789abcdef' }])
  const said = await refusal('key = "sk-live-0123456789abcdef"\n', 'key = "other"  ')
  expect(said).not.toContain('0123456789')
})

it('finds the nearest lines of a large file without comparing each character', async () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`)
  const sought = [...lines.slice(40_000, 40_020), 'another end'].join('\n')
  expect(await refusal(lines.join('\n'), sought)).toContain('Nearest are lines 40001-40021')
})
