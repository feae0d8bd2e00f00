/** Patterns that a regular expression would match for longer than anyone waits. */
import { expect, it } from 'vitest'
import { parseRule } from '../../../src/main/agents/permissions/parse-rule.ts'
import {
  allowsEdit,
  matchesTool,
  mayMatchEdit,
} from '../../../src/main/agents/permissions/rules.ts'
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

it('[P1] a rule about edits that takes too long asks and denies, and does not allow', () => {
  for (const pattern of ['+(+(a)|a)b', `${'*a'.repeat(40)}*b`, '{a,b}'.repeat(30)]) {
    const test = parseRule(`edit: ${pattern}`)
    expect([allowsEdit(test, name), mayMatchEdit(test, name)], pattern).toEqual([false, true])
  }
  const test = parseRule('edit: +(a)b')
  expect([allowsEdit(test, 'aab'), mayMatchEdit(test, name)]).toEqual([true, false])
})

it('[P1] a rule about another tool does not take long', () => {
  expect(matchesTool(parseRule(`web_fetch: ${'*a'.repeat(40)}*b`), 'web_fetch', name)).toBe(false)
})

it('[P1] a command with a pattern of any length is decided', () => {
  expect(verdictOf(`npm test ${'*a*'.repeat(10_000)}`).kind).toBe('ask')
})
