import { describe, expect, it } from 'vitest'
import { matchInDiff } from '../../src/renderer/components/conversation/find/diff-match.ts'

const input = {
  path: 'src/gulls.ts',
  old_text: "const a = 'gull'\nconst b = ['gull', 'gull']",
  new_text: "const a = 'gull'\n}\n'gull'\n}\n'gull'",
}
const find = (nth: number, given: unknown = input, pattern = /gull/gu) =>
  matchInDiff(given, nth, pattern)

describe('the line of a diff that shows a match of an edit', () => {
  it('is none for the path, and beyond the last match', () => {
    expect(find(0)).toBeNull()
    expect(find(7)).toBeNull()
  })

  it('is on the side of its text, with its position in the line', () => {
    const a = { line: "const a = 'gull'", linesBefore: 0, nthInLine: 0 }
    const b = { line: "const b = ['gull', 'gull']", linesBefore: 0 }
    expect(find(1)).toEqual({ side: 'deletions', ...a })
    expect(find(2)).toEqual({ side: 'deletions', ...b, nthInLine: 0 })
    expect(find(3)).toEqual({ side: 'deletions', ...b, nthInLine: 1 })
    expect(find(4)).toEqual({ side: 'additions', ...a })
  })

  it('is distinguished from equal lines before it, even in earlier edits of the call', () => {
    expect(find(6)).toMatchObject({ line: "'gull'", linesBefore: 1 })
    const edits = [
      { old_text: '', new_text: 'gull' },
      { old_text: 'tern', new_text: 'gull' },
    ]
    expect(find(1, { edits })).toEqual({
      side: 'additions',
      line: 'gull',
      linesBefore: 1,
      nthInLine: 0,
    })
  })

  it('is none for a match across two lines', () => {
    expect(find(0, { content: 'a\nb' }, /a\nb/gu)).toMatchObject({ side: 'additions', line: 'a' })
  })
})
