import { expect, it } from 'vitest'
import { completionAt, withFile } from '../../src/renderer/components/composer/completion.ts'

/** `|` is the caret. */
const at = (text: string) => completionAt(text.replace('|', ''), text.indexOf('|'))

it.each([
  ['@|', { kind: 'file', query: '', from: 0 }],
  ['See @src/pa|', { kind: 'file', query: 'src/pa', from: 4 }],
  ['(@par|ser)', { kind: 'file', query: 'par', from: 1 }],
  ['First.\n@par|', { kind: 'file', query: 'par', from: 7 }],
  ['See @"my notes/a| and', { kind: 'file', query: 'my notes/a', from: 4 }],
  ['/|', { kind: 'command', query: '' }],
  ['/mo|', { kind: 'command', query: 'mo' }],
  ['/MO|', { kind: 'command', query: 'mo' }],
])('completes %s', (text, wanted) => {
  expect(at(text)).toEqual(wanted)
})

it.each([
  'robin@exam|ple.org',
  '@done |',
  'no|thing',
  'a /mo|',
  '/usr/bi|n',
  '/mo|del',
  '@"closed" |',
  '@@|',
])('completes nothing in %s', (text) => {
  expect(at(text)).toBeNull()
})

it('replaces the typed text by the path, in quotes if it has spaces', () => {
  const text = 'See @pa and more'
  expect(withFile(text, { from: 4, caret: 7, path: 'src/parser.ts' })).toEqual({
    text: 'See @src/parser.ts and more',
    caret: 19,
  })
  expect(withFile('@pa', { from: 0, caret: 3, path: 'my notes/parser.md' })).toEqual({
    text: '@"my notes/parser.md" ',
    caret: 22,
  })
})
