import { describe, expect, it } from 'vitest'
import { membersMax, shownJson, sizeOfJson } from '../../src/renderer/components/text/shown-json.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(shownJson(value)))

describe('a JSON value in a tree', () => {
  it('[V4] shows hidden characters in names and texts, and shortens long ones with their length', () => {
    expect(plain({ 'a\u202Eb': 'c\u0000', n: 1, ok: true, no: null })).toEqual({
      'a<U+202E>b': 'c\u2400',
      n: 1,
      ok: true,
      no: null,
    })
    expect(shownJson('x'.repeat(2_500))).toBe(`${'x'.repeat(2_000)}… 500 more characters`)
  })
  it('groups the members of long arrays and objects', () => {
    const long = Array.from({ length: membersMax * 2 + 1 }, (_, at) => at)
    const shown = plain(long)
    expect(Object.keys(shown)).toEqual(['0 to 99', '100 to 199', '200 to 200'])
    expect(shown['200 to 200']).toEqual([200])
    const wide = Object.fromEntries(long.map((at) => [`key ${at}`, at]))
    expect(plain(wide)['0 to 99']['key 7']).toBe(7)
  })
  it('accepts any property name, and any depth', () => {
    const hostile = JSON.parse('{"__proto__": {"a": 1}}')
    expect(Object.keys(shownJson(hostile) as object)).toEqual(['__proto__'])
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)
    expect(JSON.stringify(shownJson(deep))).toContain('"[[')
  })
  it('counts values only up to the given limit', () => {
    expect(sizeOfJson([1, [2, 3]], 100)).toBe(5)
    expect(sizeOfJson(Array.from({ length: 1_000 }), 10)).toBe(10)
  })
})
