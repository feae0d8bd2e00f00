import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/main/export/redaction/redactor.ts'
import { findSecretPatterns, redactPatterns } from '../../src/main/secrets/redact-patterns.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'

const place = { taskId: newTaskId(), seq: 3 }
const key = `sk-ant-${'a1B2'.repeat(8)}`

function redactor(keep: string[] = [], person = { home: '/srv/people/ada', user: 'ada' }) {
  return createRedactor({
    person,
    maskKnown: (text) => text.replaceAll('known-value', '[hidden: KNOWN]'),
    keep: new Set(keep),
  })
}
const masked = (text: string) => redactor().text(text, place)

describe('[K4] masking in an export', () => {
  it.each([
    [`the key ${key}.`, 'the key [hidden: key].'],
    ['postgres://ada:hunter22@db/x', 'postgres://[hidden: credentials]@db/x'],
    ['API_TOKEN="correct-horse"', 'API_TOKEN="[hidden: API_TOKEN]"'],
    [`API_KEY=${key}`, 'API_KEY=[hidden: API_KEY]'],
    ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----!', '[hidden: private key]!'],
    ['a known-value here', 'a [hidden: KNOWN] here'],
    ['API_KEY=[hidden: API_KEY] stays', 'API_KEY=[hidden: API_KEY] stays'],
    // Code that computes the value, unless it could be the value.
    ['token = Store.mint(project.id)', 'token = Store.mint(project.id)'],
    ['secret: createSecret(seed)', 'secret: createSecret(seed)'],
    ['SECRET=createSecret(seed)', 'SECRET=[hidden: SECRET]'],
    ['secret = "createSecret(seed"', 'secret = "[hidden: secret]"'],
  ])('%j', (text, expected) => {
    expect(masked(text)).toBe(expected)
  })

  it.each([
    ['cd /srv/people/ada/api', 'cd ~/api'],
    ['/home/grace/x and /Users/grace', '~/x and ~'],
    ['C:\\Users\\grace\\x', '~\\x'],
    ['"C:\\\\Users\\\\grace\\\\x"', '"~\\\\x"'],
    ['written by ada on a Monday', 'written by [hidden: user name] on a Monday'],
    [
      '/srv/people/adaline and adamant, /var/home/x',
      '/srv/people/adaline and adamant, /var/home/x',
    ],
  ])('home directories and the name of the user: %j', (text, expected) => {
    expect(masked(text)).toBe(expected)
  })

  it('does not treat a generic account name as a person’s name', () => {
    const root = redactor([], { home: '/sroot', user: 'root' })
    expect(root.text('the root task in /sroot/api', place)).toBe('the root task in ~/api')
  })

  it('masks values by the names of their fields, and leaves ids, hashes and words of the format alone', () => {
    const record = {
      type: 'ada',
      uuid: place.taskId,
      tree: 'ada0'.repeat(10),
      input: { password: 'just-words', '/home/grace': [1, null, 'fine'] },
    }
    expect(redactor().value(record, place)).toEqual({
      ...record,
      input: { password: '[hidden: password]', '~': [1, null, 'fine'] },
    })
    const harmless = { text: 'nothing of the kind', list: [{ a: 1 }] }
    expect(redactor().value(harmless, place)).toBe(harmless)
  })

  it('lists each value once with its places, and keeps chosen ones in all places', () => {
    const first = redactor()
    first.text(`one ${key}`, place)
    first.value({ deep: [`two ${key} three`] }, { ...place, seq: 9 })
    const { hits, masked } = first.result()
    expect({ hits, masked }).toMatchObject({
      masked: 2,
      hits: [{ kind: 'key', match: key, kept: false, count: 2, mark: '[hidden: key]' }],
    })
    expect(hits[0]?.places).toMatchObject([
      { seq: 3, before: 'one ', after: '' },
      { seq: 9, before: 'two ', after: ' three' },
    ])
    const second = redactor([hits[0]?.id ?? ''])
    expect(second.text(`one ${key}`, place)).toBe(`one ${key}`)
    expect(second.result()).toMatchObject({ masked: 0, hits: [{ kept: true }] })
  })

  it('masks every planted secret in any context, and changes nothing else', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'Z', '9', ' ', '\n', '"', '=', ':', '.') })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const whole = `${before} ${key} ${after}`
        expect(masked(whole)).not.toContain(key)
        expect(redactPatterns(whole)).not.toContain(key)
        for (const { start, end } of findSecretPatterns(whole)) expect(start).toBeLessThan(end)
      }),
    )
  })

  it('takes linear time for long runs of the characters of names and schemes', () => {
    // Quadratic time would be minutes, which the test's own limit catches.
    for (const unit of ['a.', 'a-', 'a', '1a', '+', 'a://', '=a']) masked(unit.repeat(300_000))
  })
})
