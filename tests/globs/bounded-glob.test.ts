import { matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import { filterInTime, matchesInTime, PatternError } from '../../src/main/globs/bounded-glob.ts'

const name = 'a'.repeat(200)

it.each([
  ['+(+(a)|a)b', name],
  [`${'*a'.repeat(40)}*b`, name],
  [`${'+(*(a)|aa)'.repeat(10)}b`, name],
  ['{a,b}'.repeat(30), 'ab'],
  ['{1..99999999}', '7'],
])('gives up a pattern that takes too long: %.20s', (pattern, path) => {
  const refused = () => matchesInTime(path, pattern)
  const startMs = performance.now()
  for (let n = 0; n < 1_000; n++) expect(refused).toThrow(PatternError)
  expect(() => filterInTime([path], pattern, (one) => one)).toThrow('takes too long to match')
  // Once it takes a tenth of a second; without a limit, years.
  expect(performance.now() - startMs).toBeLessThan(30_000)
})

it('gives up a pattern that takes too long for many paths', () => {
  const deep = `${'a/'.repeat(2_000)}c`
  const items = Array.from({ length: 100_000 }, () => deep)
  expect(() => filterInTime(items, '**/a/**/b', (path) => path)).toThrow(PatternError)
  expect(matchesInTime(deep, '**/a/**/c')).toBe(true)
})

it('gives up a pattern that is too large', () => {
  expect(() => matchesInTime('b', '*a*'.repeat(10_000))).toThrow(
    /…" (?:can’t be matched|takes too long to match)\.$/,
  )
})

it.each([
  ['src/**', 'src/a/b.ts', true],
  ['**/*.{ts,tsx}', 'a/b/c.tsx', true],
  ['!(src)/**', 'src/a', false],
  ['{01..10}', '07', true],
  ['*/*/*/*', 'a/b/c/d', true],
  ['*'.repeat(300), 'a', true],
])('matches as Node does: %.20s, %s', (pattern, path, matches) => {
  expect(matchesInTime(path, pattern)).toBe(matches)
  expect(matchesGlob(path, pattern)).toBe(matches)
  expect(filterInTime([{ path }], pattern, (one) => one.path)).toEqual(matches ? [{ path }] : [])
})
