import { expect, it } from 'vitest'
import { shownEntry } from '../../../src/main/hosts/cli/commands/transcripts/shown-entry.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'

it('shortens long texts of foreign entries, at any depth, and of no others', () => {
  const long = 'a'.repeat(20_000)
  const content = { line: 1, record: { payload: { base: long, id: 7, list: [long, null] } } }
  const cut = `${'a'.repeat(400)}… [19600 characters more: --raw prints them]`
  const entry = { type: 'foreign', source: 'Codex', content } as unknown as Entry
  expect(shownEntry(entry)).toEqual({
    type: 'foreign',
    source: 'Codex',
    content: { line: 1, record: { payload: { base: cut, id: 7, list: [cut, null] } } },
  })
  const summary = { type: 'summary', text: long } as unknown as Entry
  expect(shownEntry(summary)).toBe(summary)
})
