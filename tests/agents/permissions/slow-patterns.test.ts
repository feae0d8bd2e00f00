/** Patterns that a regular expression would match for longer than anyone waits. */
import { expect, it } from 'vitest'
import { parseRule } from '../../../src/main/agents/permissions/parse-rule.ts'
import { matchesTool } from '../../../src/main/agents/permissions/rules.ts'
import { textMatches } from '../../../src/main/agents/permissions/text-patterns.ts'
import { verdictOf } from './verdicts.ts'

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

const name = 'a'.repeat(200)

const slow = [
  '+(+(a)|a)b',
  `${'*a'.repeat(40)}*b`,
  '{a,b}'.repeat(30),
  `${'**/'.repeat(9)}b`,
  '{1..99999}',
]

it('[P1] a rule about edits that could take long is refused', () => {
  for (const pattern of slow)
    expect(() => parseRule(`edit: ${pattern}`)).toThrow('could take long to match')
  for (const pattern of [
    '**',
    'src/**/*.{ts,tsx}',
    '**/node_modules/**/*.js',
    'a..b',
    '![(]a)',
    'a{1..3}.ts',
  ])
    expect(() => parseRule(`edit: ${pattern}`)).not.toThrow()
})

it('[P1] a rule about another tool does not take long', () => {
  expect(matchesTool(parseRule(`web_fetch: ${'*a'.repeat(40)}*b`), 'web_fetch', name)).toBe(false)
})

it('[P1] a command with a pattern of any length is decided', () => {
  expect(verdictOf(`npm test ${'*a*'.repeat(10_000)}`).kind).toBe('ask')
})

it('[P1] a command for any shell that could take long is decided at once', () => {
  for (const sign of ['|', '&', ';', '>', '<', '('])
    for (const end of ['{', 'a', '']) {
      const command = `echo a ${sign.repeat(60)}${end}`
      expect(verdictOf(`sh -c '${command}'`, { rules: [] }).kind).toBe('ask')
    }
}, 5_000)
