/** No rule that asks or denies is ignored without a word: it applies, is refused where it is saved, or makes all be asked. */
import { describe, expect, it } from 'vitest'
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import { parseRule } from '../../../src/main/agents/permissions/parse-rule.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import { place, verdictOf } from './verdicts.ts'

const onEdit = (path: string, rule: string, effect: 'allow' | 'deny', mode: PermissionMode) =>
  decide([{ mode, rules: [{ effect, rule }] }], { kind: 'edit', path, place }).kind

describe('a rule that denies edits', () => {
  it.each([
    './secrets/**',
    '././secrets/a',
    'secrets/./a',
    'secrets/',
    './secrets/',
    'secrets/.',
    './',
    '.',
  ])('covers what %j names', (pattern) => {
    expect(onEdit('secrets/a', `edit: ${pattern}`, 'deny', 'allow-all')).toBe('deny')
  })

  it('covers no more than that', () => {
    expect(onEdit('secrets.ts', 'edit: secrets/', 'deny', 'allow-all')).toBe('allow')
    expect(onEdit('a./b', 'edit: a./b', 'deny', 'allow-all')).toBe('deny')
    expect(onEdit('src/a', 'edit: ./src/', 'allow', 'ask')).toBe('allow')
    expect(onEdit('a', 'edit: ./src/', 'allow', 'ask')).toBe('ask')
  })
})

it.each([
  'write_file',
  'write_file: secrets/**',
  'edit_file: secrets/a',
  'read_file: .env',
  'task',
  'webfetch: https://a.b/*',
  'edit: {./secrets,./keys}/**',
  'Bash: rm *',
])('refuses %j, which would never apply', (rule) => {
  expect(() => parseRule(rule)).toThrow()
})

describe('a rule of a file changed by hand that can’t be read', () => {
  const rules = (effect: 'allow' | 'ask' | 'deny') => [{ effect, rule: 'bash: rm a && rm b' }]

  it.each(['ask', 'deny'] as const)('makes all be asked if it is to %s', (effect) => {
    for (const mode of ['ask', 'allow-edits', 'allow-all'] as const) {
      expect(verdictOf('rm a', { mode, rules: rules(effect) })).toEqual({
        kind: 'ask',
        reasons: ['The rule “bash: rm a && rm b” can’t be read, and may be about it.'],
        proposal: [],
      })
      expect(
        decide([{ mode, rules: rules(effect) }], { kind: 'edit', path: 'a', place }).kind,
      ).toBe('ask')
    }
  })

  it('leaves a rule that denies in force', () => {
    const denied = [...rules('deny'), { effect: 'deny' as const, rule: 'bash: rm *' }]
    expect(verdictOf('rm a', { mode: 'allow-all', rules: denied }).kind).toBe('deny')
  })

  it('allows nothing', () => {
    expect(verdictOf('rm a', { mode: 'ask', rules: rules('allow') }).kind).toBe('ask')
    expect(verdictOf('rm a', { mode: 'allow-all', rules: rules('allow') }).kind).toBe('allow')
  })
})
