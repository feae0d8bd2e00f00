import { expect, it } from 'vitest'
import {
  countChars,
  follow,
  fromAuthors,
  ownedBy,
  toAuthors,
} from '../../src/main/runs/changes/authorship.ts'
import fc from '../random.ts'

const msMax = 10_000
const changed = (before: string, after: string) =>
  follow(ownedBy('other', before), { before, after, author: 'agent', msMax })

it.each([
  ['one character of a line', 'const port = 8080\n', 'const port = 8081\n', [17, 1]],
  ['one in the middle of a word', 'the color of it\n', 'the colour of it\n', [16, 1]],
  ['one word', 'a day at sea\nand home\n', 'a month at sea\nand home\n', [19, 5]],
  ['a line end', 'no end', 'no end\n', [6, 1]],
  ['a word twice', 'old and old\n', 'new and new\n', [6, 6]],
  ['nothing left', 'gone\n', '', [0, 0]],
  ['all of it', 'abc', 'xyz', [0, 3]],
] as const)(
  'counts %s and not what is around it',
  (_what, before, after, [otherChars, agentChars]) => {
    expect(countChars(changed(before, after))).toEqual({ otherChars, agentChars })
  },
)

it('knows the position of each span, so that deleted text is subtracted from its author', () => {
  const before = 'theirs, mine\n'
  const spans = fromAuthors([0, 8, 4, 1])
  const after = 'theirs, \n'
  expect(countChars(follow(spans, { before, after, author: 'other', msMax }))).toEqual({
    agentChars: 0,
    otherChars: 9,
  })
})

it('counts only the changed part if there is no time to compare it', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}\n`).join('')
  const before = `kept\n${many('old')}end\n`
  const after = `kept\n${many('new')}end\n`
  const spans = follow(ownedBy('other', before), { before, after, author: 'agent', msMax: 1 })
  expect(countChars(spans)).toEqual({ agentChars: many('new').length, otherChars: 9 })
})

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '\n', '.', 'é', '😀'),
  maxLength: 40,
})
const author = fc.constantFrom('agent' as const, 'other' as const)

it('accounts for every character, and attributes none to someone who did not write it, for any contents', () => {
  fc.assert(
    fc.property(text, fc.array(fc.tuple(author, text)), (first, versions) => {
      let before = first
      let spans = ownedBy('other', first)
      let byAgent = 0
      for (const [author, after] of versions) {
        const was = countChars(spans)
        spans = follow(spans, { before, after, author, msMax })
        const now = countChars(spans)
        expect(now.agentChars + now.otherChars).toBe(after.length)
        if (author === 'agent') expect(now.otherChars).toBeLessThanOrEqual(was.otherChars)
        else expect(now.agentChars).toBeLessThanOrEqual(was.agentChars)
        expect(fromAuthors(toAuthors(spans))).toEqual(spans)
        byAgent = now.agentChars
        before = after
      }
      expect(byAgent).toBeLessThanOrEqual(before.length)
    }),
  )
})
