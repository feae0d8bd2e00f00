import { expect, it } from 'vitest'
import { plainMarkdown } from '../../../src/shared/text/plain-markdown.ts'

it('keeps the words of Markdown and drops its signs', () => {
  const markdown = [
    '## Found',
    '',
    'The **heron** *only* reads `a*b` of *.ts and *.js in __init__.py, a|b.',
    '',
    '| line has | today |',
    '|:---|---:|',
    '| 8 | 6 |',
    '~~~js',
    'const x = 1',
    '~~~',
    '- one',
  ].join('\n')
  expect(plainMarkdown(markdown).split('\n').filter(Boolean)).toEqual([
    'Found',
    'The heron only reads a*b of *.ts and *.js in __init__.py, a|b.',
    'line has · today',
    '8 · 6',
    'const x = 1',
    'one',
  ])
})
