import { expect, it } from 'vitest'
import { snippetStart } from '../../src/renderer/components/search/snippet-start.ts'

const text = 'a long line whose end has the match'
const match = text.indexOf('match')

it('keeps a short lead, and of a long one its last whole words', () => {
  expect(snippetStart(text, 3, 16)).toBe(0)
  expect(text.slice(snippetStart(text, match, 16))).toBe('end has the match')
})

it('begins with the match if no space precedes it', () => {
  expect(snippetStart('\u{1f600}'.repeat(30), 40, 15)).toBe(40)
  expect(snippetStart(`${'x'.repeat(40)} y`, 40, 16)).toBe(40)
})
