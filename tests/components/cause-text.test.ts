import { expect, it } from 'vitest'
import { beginningOf } from '../../src/renderer/components/task/cause-text.tsx'
import { afterInterrupted, plainCause } from '../../src/renderer/components/task/plain-cause.ts'

it('cuts a long text after its beginning, and only when it is long', () => {
  expect(beginningOf('x'.repeat(3_000)).length).toBeLessThan(300)
  expect(beginningOf('one\n'.repeat(50)).split('\n').length).toBeLessThan(6)
  expect(beginningOf('The disk is full.')).toBe('The disk is full.')
})

it('shows no control characters of an agent’s text', () => {
  const cause = { kind: 'said', text: '\u001B[31mred\u001B[0m' } as const
  expect([plainCause(cause), afterInterrupted(cause)]).toEqual(['red', ': red'])
})
