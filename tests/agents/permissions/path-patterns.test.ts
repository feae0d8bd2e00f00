/** The patterns of rules: what they match, as `matchesGlob` of Node does, and that none takes long. */
import { matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import { parseRule } from '../../../src/main/agents/permissions/parse-rule.ts'
import { pathMatches, textMatches } from '../../../src/main/agents/permissions/path-patterns.ts'
import fc from '../../random.ts'
import { verdictOf } from './verdicts.ts'

const inPatterns =
  'a b c / / * * ** **/ /** ? [ab] [!a] [a-c] {a,b} {a,b/c} {,a} {1..2} {a..c} @(a|b) ?(a) *(a|b) +(a) !(a) ( ) [ ] { } | , ! - src [[:alpha:]] + @'
const inPaths = 'a b c / a b ab 1 2 src - c'

const textOf = (pieces: string, maxLength: number) =>
  fc
    .array(fc.constantFrom(...pieces.split(' ')), { minLength: 1, maxLength })
    .map((all) => all.join(''))

it('[P3] matches paths as Node does', () => {
  const pattern = textOf(inPatterns, 6).filter(
    // Node takes `!(a)*` for a pattern about `a` itself, and fails on `[[:alpha:]],`.
    (one) => !/!\(.*\*|\[:.*[^\w/*]|^\//.test(one),
  )
  const path = textOf(inPaths, 5).filter((one) => one.split('/').every((name) => name !== ''))
  fc.assert(
    fc.property(pattern, path, (glob, file) => {
      expect(pathMatches(glob, file)).toBe(matchesGlob(file, glob))
    }),
    { numRuns: 20_000 },
  )
})

it.each<[pattern: string, path: string, matches: boolean]>([
  ['**', '.env', true],
  ['src/**', 'src/.a/.b', true],
  ['src/**', 'src', false],
  ['*.ts', 'a/b.ts', false],
  ['**/*.{ts,tsx}', 'a/.b/c.tsx', true],
  ['!(src)/**', 'src/a', false],
  ['!(src)/**', 'docs/a', true],
  ['!(docs)*', 'docs', false],
  ['{01..10}', '07', true],
  ['[[:digit:]]', '7', true],
  ['[]a]', ']', true],
  ['a\\*', 'a/b', true],
])('%s and %s: %s', (pattern, path, matches) => {
  expect(pathMatches(pattern, path)).toBe(matches)
})

it.each<[pattern: string, text: string, matches: boolean]>([
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*b', 'ab', false],
  ['*b*c*', 'xbxcx', true],
  ['a', 'ab', false],
  ['', '', true],
])('the text %s and %s: %s', (pattern, text, matches) => {
  expect(textMatches(pattern, text)).toBe(matches)
})

it('[P1] no pattern of a repository takes long', () => {
  const name = 'a'.repeat(200)
  const patterns = [
    '+(+(a)|a)b',
    `${'*a'.repeat(40)}*b`,
    `${'!(a)'.repeat(20)}b`,
    `${'!('.repeat(40)}a${')'.repeat(40)}b`,
    `${'+(*(a)|aa)'.repeat(10)}b`,
  ]
  const startMs = performance.now()
  for (const pattern of patterns) pathMatches(pattern, name)
  pathMatches(`${'**/a/'.repeat(60)}b`, `${'a/'.repeat(500)}c`)
  textMatches(`${'*a'.repeat(40)}*b`, name)
  // Each of them would take years.
  expect(performance.now() - startMs).toBeLessThan(30_000)
  expect(() => parseRule(`edit: ${'{a,b}'.repeat(20)}`)).toThrow('more than 1000 patterns')
  expect(() => parseRule('edit: {1..99999}')).toThrow('more than 1000 patterns')
})

it('[P1] a command with a pattern of any length is decided', () => {
  expect(verdictOf(`npm test ${'*a*'.repeat(10_000)}`).kind).toBe('ask')
})
