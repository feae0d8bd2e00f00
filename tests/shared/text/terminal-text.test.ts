import { expect, it } from 'vitest'
import { terminalText } from '../../../src/shared/text/terminal-text.ts'

it.each([
  ['colours', '\u001B[31mFAIL\u001B[39m', 'FAIL'],
  ['what was erased and written over', 'a\u001B[2K\u001B[1Gb', 'b'],
  ['character sets and keypads', '\u001B(B\u001B=\u001B>done\u001B7', 'done'],
])('takes %s out', (_, printed, shown) => {
  expect(terminalText(printed)).toBe(shown)
})

it('[V4] keeps text that a title or a link sequence would hide, and an incomplete escape', () => {
  expect(terminalText('a\u001B')).toBe('a\u001B')
  const title = '\u001B]0;title\u0007'
  expect(terminalText(title)).toBe(title)
})

it('shows the last state of a line that was written over', () => {
  expect(terminalText('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n')
  expect(terminalText('a\r\nb')).toBe('a\nb')
})
